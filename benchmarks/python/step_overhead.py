#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what Simulation.step() of Python adds to a step, and what arrays add to that.

usage: step_overhead.py [WORLD]...

One call of step(n) steps in C++; n calls of step() do the same from Python. Times are processor times,
the smallest of several rounds in turns. The time of a loop of Python without a call is subtracted.
"""
import pathlib
import sys
import time

import servosim

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 9
SECONDS = 0.2  # time of a round


def timed(run, count):
    start = time.process_time()
    run(count)
    return (time.process_time() - start) / count * 1e9  # [ns]


def empty(count):
    for _ in range(count):
        pass


def measure(world):
    sim = servosim.Simulation(world)
    watched = sim.clone()
    arrays = [watched.joint_positions, watched.joint_velocities, watched.joint_efforts]
    sim.step(200)
    count = max(100, int(SECONDS * 1e9 / timed(sim.step, 2000)))

    def calls_of(simulation):
        def calls(number):
            step = simulation.step
            for _ in range(number):
                step()
        return calls

    def read(number):
        for _ in range(number):
            sim.time

    names = {'C++': sim.step, 'step()': calls_of(sim), 'with arrays': calls_of(watched),
             'time': read, 'loop': empty}
    state = sim.save()
    best = dict.fromkeys(names, float('inf'))
    for _ in range(ROUNDS):
        for name, run in names.items():
            sim.restore(state)
            watched.restore(state)
            best[name] = min(best[name], timed(run, count))
    loop = best['loop']
    print(f'{pathlib.Path(world).stem:>12} {len(arrays[0]):>6} {best["C++"]:>10.0f} '
          f'{best["step()"] - best["C++"] - loop:>10.0f} '
          f'{best["with arrays"] - best["C++"] - loop:>14.0f} {best["time"] - loop:>10.0f}')


def main(worlds):
    print(f'{"ns":>12} {"joints":>6} {"C++ step":>10} {"step() adds":>10} {"3 arrays add":>14} '
          f'{"sim.time":>10}')
    for world in worlds or [ROOT / 'worlds' / name for name in ('pendulum.wbt', 'arm.wbt')]:
        measure(world)


main(sys.argv[1:])
