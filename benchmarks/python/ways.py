#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast a cart-pole trains in each of the ways of docs/how-to/training.md.

usage: ways.py PROGRAM

PROGRAM is the servosim that hosts the controller. A step takes 20 ms, two basic time steps, with a policy
of numpy where the table says so. The ways take turns in several rounds; the best round of each is
printed. Processor time, of all threads and processes, says more than seconds where a machine is busy. The
first two ways include the start of their programs.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

import numpy as np

import servosim
from servosim.tasks import CART_POLE, Episodes

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAINER = ROOT / 'examples/training/supervisor.py'
GAINS = np.array([8.0, 65.0, 10.0, 15.0])
ROUNDS = 3
SECONDS = 0.5


def of_supervisor(command, **environment):
    """The time and the processor time per step of a run of supervisor.py [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, text=True, capture_output=True, check=True,
                          env={**os.environ, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    steps, seconds = re.search(r'(\d+) steps in (\S+) s', done.stdout).groups()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(seconds) / int(steps), used / int(steps)


def hosted(program):
    return of_supervisor([program, 'run', CART_POLE.world, '--quiet', '--controller',
                          f'cart pole={TRAINER}'],
                         PATH=f'{pathlib.Path(sys.executable).parent}:{os.environ["PATH"]}')


def embedded():
    return of_supervisor([sys.executable, TRAINER], SERVOSIM_WORLD=str(CART_POLE.world))


def per_step(step, count):
    """The same for a function that takes `count` steps."""
    done, start, used = 0, time.perf_counter(), time.process_time()
    while time.process_time() - used < SECONDS:
        step()
        done += count
    return (time.perf_counter() - start) / done, (time.process_time() - used) / done


def one_simulation():
    sim = servosim.Simulation(CART_POLE.world)
    positions, velocities, cart = sim.joint_positions, sim.joint_velocities, sim.joints['cart']

    def step():
        cart.target_force = float(np.clip(GAINS[:2] @ positions + GAINS[2:] @ velocities, -10, 10))
        sim.step(2)

    return per_step(step, 1)


def episodes_with_policy(count, threads):
    episodes = Episodes(CART_POLE, count, threads=threads)
    observed = episodes.reset()

    def step():
        nonlocal observed
        observed = episodes.step(np.clip(observed @ GAINS, -10, 10)[:, None])[0]

    return per_step(step, count)


def batch_alone(count, threads):
    batch = Episodes(CART_POLE, count, threads=threads).batch
    return per_step(batch.step, count)


def rollout(count, threads):
    batch = Episodes(CART_POLE, count, threads=threads).batch
    actions = np.zeros((count, 100, 1), dtype=batch.dtype)
    rows = batch.rollout(actions)
    return per_step(lambda: batch.rollout(actions, rows), 100 * count)


def gymnasium_environment():
    import gymnasium
    import servosim.gym  # registers the tasks
    env = gymnasium.make('servosim/CartPole-v0')
    observed, _ = env.reset(seed=1)

    def step():
        nonlocal observed
        action = np.clip(observed @ GAINS, -10, 10)[None].astype(np.float32)
        observed, _, ended, cut, _ = env.step(action)
        if ended or cut:
            observed, _ = env.reset()

    return per_step(step, 1)


def main(program):
    ways = {
        'hosted: servosim run, a Supervisor': lambda: hosted(program),
        'embedded: SERVOSIM_WORLD, the same program': embedded,
        'one Simulation, policy': one_simulation,
        'gymnasium.make(), policy': gymnasium_environment,
        'Episodes, 64 instances, policy': lambda: episodes_with_policy(64, 1),
        'Episodes, 1024 instances, policy': lambda: episodes_with_policy(1024, 1),
        'Episodes, 1024 instances, policy, 2 threads': lambda: episodes_with_policy(1024, 2),
        'Batch.step(), 1024 instances': lambda: batch_alone(1024, 1),
        'Batch.rollout(), 1024 instances': lambda: rollout(1024, 1),
        'Batch.rollout(), 1024 instances, 2 threads': lambda: rollout(1024, 2),
    }
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        print('Gymnasium is not there: left out')
        del ways['gymnasium.make(), policy']
    best = dict.fromkeys(ways, (np.inf, np.inf))
    for _ in range(ROUNDS):
        for name, measure in ways.items():
            best[name] = tuple(map(min, best[name], measure()))
    slowest = next(iter(best.values()))
    print(f'{"":46} {"steps per second":>20} {"processor, us per step":>24} {"less than hosted":>18}')
    for name, (seconds, used) in best.items():
        print(f'{name:46} {1 / seconds:20,.0f} {used * 1e6:24.2f} {slowest[1] / used:18.1f}')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
