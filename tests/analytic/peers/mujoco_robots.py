#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves the three robots of joint_integrator_peer_test.cpp by MuJoCo 4 and compares its numbers there.

usage: mujoco_robots.py SOURCE

Prints the positions of the joints after 2 s with RK4 at 0.1 ms, and for the free robot the position of
its root before them. SOURCE, the test, must have the same numbers to 1e-9.
"""
import pathlib
import re
import sys

import mujoco

STEP, SECONDS = 1e-4, 2.0  # [s]
MOST = 1e-9  # [rad, m]; the constants have twelve digits


def body(joint, place, mass, center, inertia, children=''):
    return (f'<body pos="{place}">{joint}<inertial pos="{center}" mass="{mass}" diaginertia="{inertia}"/>'
            f'{children}</body>')


def hinge(axis):
    return f'<joint axis="{axis}"/>'


def slider(axis):
    return f'<joint type="slide" axis="{axis}"/>'


def arm():
    text = ''
    for j in reversed(range(6)):
        text = body(hinge('0 1 0' if j % 2 == 0 else '0 0 1'), '0.2 0 0' if j else '0 0 0', 0.5, '0.1 0 0',
                    '0.0002 0.0018 0.0019', text)
    return text


def cart():
    end = body(hinge('0.6 0 0.8'), '0.4 0 0', 0.3, '0.1 0 0.05', '0.0002 0.001 0.001')
    two = (body(hinge('0 1 0'), '0 0.1 0', 0.7, '0.2 0 0', '0.0003 0.006 0.006', end)
           + body(hinge('0 1 0'), '0 -0.1 0', 0.4, '-0.15 0 0', '0.0003 0.003 0.003'))
    return body(slider('1 0 0'), '0 0 0', 2.0, '0 0 0', '0.01 0.01 0.01', two)


def free():
    slide = body(slider('1 0 0'), '0.4 0 0', 0.3, '0.1 0 0', '0.0002 0.001 0.001')
    two = (body(hinge('0 0 1'), '0.15 0.1 0', 0.8, '0.2 0 0', '0.0004 0.01 0.01', slide)
           + body(hinge('0 1 0'), '-0.15 0 0.1', 0.6, '-0.2 0 0', '0.0004 0.008 0.008'))
    return body('<freejoint/>', '0 0 0', 3.0, '0 0 0', '0.03 0.05 0.06', two)


# The text of each robot, gravity, and the rates at the start: of the joints, and before them the six
# of a free root.
ROBOTS = {
    'arm': (arm(), 9.81, [0.5, 1.0, -0.5, -1.0, 0.2, 2.0]),
    'cart': (cart(), 9.81, [0.3, 0.0, 3.0, 1.0]),
    'free': (free(), 0.0, [0.0, 0.0, 0.0, 0.5, 2.0, 0.3, 1.0, 0.0, -2.0]),
}


def positions(text, gravity, rates):
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="0 0 -{gravity}" integrator="RK4"><flag '
        f'contact="disable"/></option><worldbody>{text}</worldbody></mujoco>')
    data = mujoco.MjData(model)
    data.qvel[:] = rates
    mujoco.mj_step(model, data, nstep=round(SECONDS / STEP))
    found = data.qpos.tolist()
    return found if len(found) == len(rates) else found[:3] + found[7:]


def constants(source, name):
    """The last list of numbers of reference_NAME()."""
    text = source[source.index(f'Reference reference_{name}()'):]
    text = text[:text.index('\n}\n')]
    return [float(number) for number in re.findall(r'\{([-\d.,\s]+)\}\};', text)[-1].split(',')]


def main(path):
    source = pathlib.Path(path).read_text(encoding='utf-8')
    wrong = False
    for name, robot in ROBOTS.items():
        found, written = positions(*robot), constants(source, name)
        apart = max(abs(a - b) for a, b in zip(found, written, strict=True))
        wrong = wrong or apart > MOST
        print(f'{name}: {", ".join(f"{x:.12g}" for x in found)}; {apart:.1e} from the test')
    sys.exit('the test has other numbers' if wrong else 0)


if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1] == '--help':
        sys.exit(__doc__)
    main(sys.argv[1])
