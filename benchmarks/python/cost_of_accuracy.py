#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The processor time that a given accuracy takes, compared with MuJoCo: a triple pendulum that falls.

usage: cost_of_accuracy.py [CSV]

Three rods of 0.5 m and 1 kg, each hinged to the next, fall from the horizontal. For each integrator and
each step, this measures

  time    the processor time of a simulated second [us], the least of several, of whole steps
  energy  the greatest error of the energy within 10 s, in per cent of the depth of the fall
  angle   the greatest error of an angle after 2 s [rad], against MuJoCo's RK4 at 0.02 ms, or without
          MuJoCo against `joint` at 0.05 ms, extrapolated

MuJoCo is the package of the Python index (`pip install mujoco`) with its fastest settings: constraints,
contacts and sensors are off, and a loop in C makes the steps. Without it only servosim runs. All take
turns. CSV gets the rows that benchmarks/accuracy.gp draws.
"""
import math
import sys
import time

import numpy as np

import servosim

try:
    import mujoco
except ImportError:
    mujoco = None
else:
    mujoco.set_mju_user_warning(lambda text: None)  # of motions that diverge

RODS, LENGTH, MASS, GRAVITY = 3, 0.5, 1.0, 9.81
THIN = 1e-4  # the moment of inertia of a rod about itself [kg m2]
INERTIA = MASS * LENGTH**2 / 12.0
DEPTH = sum(GRAVITY * MASS * LENGTH * (i + 0.5) for i in range(RODS))  # of the potential energy [J]
STEPS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # [ms]
SECONDS, ANGLE_AFTER = 10.0, 2.0
ROUNDS = 7
GOALS = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # per cent of energy; the same numbers times 1e-2 as angles


class Ours:
    def __init__(self, integrator, evaluations):
        self.integrator, self.evaluations = integrator, evaluations

    def load(self, step):
        body = ''
        for i in reversed(range(RODS)):
            anchor, centre = (0.5 * LENGTH, LENGTH) if i else (0.0, 0.5 * LENGTH)
            body = f'''HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {anchor} 0 0 }}
device PositionSensor {{ name "s{i}" }}
endPoint Solid {{ name "rod {i}" translation {centre} 0 0 children [ {body} ] physics Physics {{ density -1
mass {MASS} centerOfMass [ 0 0 0 ] inertiaMatrix [ {THIN} {INERTIA} {INERTIA}, 0 0 0 ] }} }} }}'''
        text = (f'#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step} gravity {GRAVITY} '
                f'physicsDisableTime 0 }}\nRobot {{ name "r" children [ {body} ] }}\n')
        self.simulation = servosim.Simulation.from_text(text, integrator=self.integrator,
                                                        evaluations=self.evaluations)
        self.rods = [solid for name, solid in self.simulation.solids.items() if 'rod' in name]
        return self.simulation.step

    def angles(self):
        return self.simulation.joint_positions.copy()

    def energy(self):
        total = 0.0
        for rod in self.rods:
            velocity = rod.velocity
            total += (0.5 * MASS * np.dot(velocity[:3], velocity[:3])
                      + 0.5 * INERTIA * np.dot(velocity[3:], velocity[3:])
                      + MASS * GRAVITY * rod.position[2])
        return total


class MuJoCo:
    def __init__(self, integrator):
        self.integrator = integrator

    def load(self, step):
        body = ''
        for i in range(RODS):
            body += (f'<body pos="{LENGTH if i else 0} 0 0"><joint axis="0 1 0"/><inertial '
                     f'pos="{0.5 * LENGTH} 0 0" mass="{MASS}" diaginertia="{THIN} {INERTIA} {INERTIA}"/>')
        off = ' '.join(f'{name}="disable"' for name in
                       ('constraint', 'contact', 'sensor', 'island', 'midphase', 'spring', 'autoreset'))
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{step / 1000}" gravity="0 0 -{GRAVITY}" '
            f'integrator="{self.integrator}"><flag {off}/></option>'
            f'<worldbody>{body + "</body>" * RODS}</worldbody></mujoco>')
        self.data = mujoco.MjData(self.model)
        return lambda count: mujoco.mj_step(self.model, self.data, nstep=count)

    def angles(self):
        return self.data.qpos.copy()

    def energy(self):
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())


def sides():
    made = {'ode': Ours('ode', None), 'joint': Ours('joint', 0), 'joint, 3 evaluations': Ours('joint', 3),
            'joint, 1 evaluation': Ours('joint', 1)}
    if mujoco is not None:
        for name in ('Euler', 'implicitfast', 'implicit', 'RK4'):
            made[f'MuJoCo {name}'] = MuJoCo(name)
    return made


def angles_after(side, step):
    side.load(step)(round(ANGLE_AFTER * 1000 / step))
    return side.angles()


def reference():
    if mujoco is not None:
        return angles_after(MuJoCo('RK4'), 0.02)
    side = Ours('joint', 0)
    return (4.0 * angles_after(side, 0.05) - angles_after(side, 0.1)) / 3.0


def energy_error(side, step):
    """The greatest on the way, looked at about every 40 ms; infinite if the motion diverges."""
    advance = side.load(step)
    start, worst = side.energy(), 0.0
    count = max(1, round(40.0 / step))
    for _ in range(math.ceil(SECONDS * 1000 / step / count)):
        try:
            advance(count)
        except servosim.Diverged:
            return math.inf
        error = abs(side.energy() - start) / DEPTH * 100.0
        if not math.isfinite(error):
            return math.inf
        worst = max(worst, error)
    return worst


def times(all_sides, step):
    """The least processor time of a simulated second [us], after half a second."""
    count = max(200, round(1000 / step))
    best = dict.fromkeys(all_sides, math.inf)
    for _ in range(ROUNDS):
        for name, side in all_sides.items():
            advance = side.load(step)
            advance(max(1, round(500 / step)))
            start = time.process_time()
            try:
                advance(count)
            except servosim.Diverged:
                continue
            best[name] = min(best[name], (time.process_time() - start) / (count * step * 1e-3) * 1e6)
    return best


def measure():
    """(name, step, time, energy, angle) of each."""
    all_sides, true = sides(), reference()
    rows = []
    for step in STEPS:
        took = times(all_sides, step)
        for name, side in all_sides.items():
            error = energy_error(side, step)
            try:
                angle = float(np.max(np.abs(angles_after(side, step) - true)))
            except servosim.Diverged:
                angle = math.inf
            rows.append((name, step, took[name], error, angle if math.isfinite(angle) else math.inf))
    return rows


def cheapest(rows, name, column, goal):
    """The row with the longest step from which on all shorter steps reach the goal, or None."""
    found = None
    for row in sorted((r for r in rows if r[0] == name), key=lambda r: r[1]):
        if not row[column] <= goal:
            break
        found = row
    return found


def show(rows, column, title, goals):
    names = list(dict.fromkeys(row[0] for row in rows))
    print(f'\n{title}: us per simulated second (step [ms])')
    print(f'{"":22}' + ''.join(f'{goal:>18g}' for goal in goals))
    for name in names:
        cells = (cheapest(rows, name, column, goal) for goal in goals)
        print(f'{name:22}' + ''.join(f'{"–" if c is None else f"{c[2]:.0f} ({c[1]:g})":>18}' for c in cells))


def main():
    if mujoco is None:
        print('MuJoCo is left out: its package is not installed (pip install mujoco)')
    else:
        print(f'MuJoCo {mujoco.__version__}')
    rows = measure()
    print(f'{"":22}{"step [ms]":>10}{"time [us]":>12}{"energy [%]":>14}{"angle [rad]":>14}')
    for name, step, took, error, angle in sorted(rows, key=lambda r: (list(sides()).index(r[0]), r[1])):
        print(f'{name:22}{step:10g}{took:12.1f}{error:14.2e}{angle:14.2e}')
    show(rows, 3, 'an error of the energy of at most ... per cent', GOALS)
    show(rows, 4, 'an error of the angles of at most ... rad', [goal * 0.01 for goal in GOALS])
    if len(sys.argv) > 1:
        with open(sys.argv[1], 'w', encoding='utf-8') as file:
            for name in dict.fromkeys(row[0] for row in rows):
                file.write(f'# {name}\n')
                for row in rows:
                    if row[0] == name:
                        file.write(','.join(f'{value:.6g}' for value in row[1:]) + '\n')
                file.write('\n\n')


if __name__ == '__main__':
    if len(sys.argv) > 2 or sys.argv[1:2] == ['--help']:
        sys.exit(__doc__)
    main()
