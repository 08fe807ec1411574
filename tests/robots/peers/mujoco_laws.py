#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves servo_arm.xml, which is next to it, by MuJoCo 4 and compares the numbers of a test.

usage: mujoco_laws.py SOURCE

Prints the commands of the actuators, and the positions of the joints 0.5 s and 1 s after them, with RK4
and a step of 0.1 ms. SOURCE, mjcf_motion_test.cpp, must have the same numbers to 1e-9.
"""
import pathlib
import re
import sys

import mujoco

SECONDS = 0.5  # [s] for each of the commands
COMMANDS = [[0.5, 0.9, -0.7, 1.2, 3.0, 15.0], [-0.4, -0.6, 0.5, -2.0, -5.0, 2.0]]
MOST = 1e-9  # [rad, m]; the constants have twelve digits


def positions(path):
    spec = mujoco.MjSpec.from_file(str(path))
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model = spec.compile()
    data = mujoco.MjData(model)
    found = []
    for command in COMMANDS:
        data.ctrl[:] = command
        mujoco.mj_step(model, data, nstep=round(SECONDS / model.opt.timestep))
        found.append(data.qpos.tolist())
    return found


def constants(source, name):
    """The numbers of each list in the array NAME."""
    text = source[source.index(f' {name}['):]
    text = text[:text.index('};')]
    return [[float(number) for number in numbers.split(',')] for numbers in re.findall(r'\{([-\d.,\se]+)\}', text)]


def main(path):
    source = pathlib.Path(path).read_text(encoding='utf-8')
    found = positions(pathlib.Path(__file__).parent / 'servo_arm.xml')
    for numbers in found:
        print(', '.join(f'{x:.12g}' for x in numbers))
    if constants(source, 'kCommands') != COMMANDS:
        sys.exit('the test has other commands')
    apart = max(abs(a - b) for ours, written in zip(found, constants(source, 'kPositions'), strict=True)
                for a, b in zip(ours, written, strict=True))
    print(f'{apart:.1e} from the test')
    sys.exit('the test has other positions' if apart > MOST else 0)


if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1] == '--help':
        sys.exit(__doc__)
    main(sys.argv[1])
