# SPDX-License-Identifier: Apache-2.0
"""Swings a pendulum up with a motor that is too weak to lift it in one move, as swing_up.cpp does.

Every 0.1 s the program tries random plans in a clone of the simulation, and makes the first move of
the best one.

    python3 examples/look_ahead.py [WORLD]
"""
from __future__ import annotations

import sys
from typing import Tuple

import numpy as np
from numpy.typing import NDArray

import servosim

Plan = NDArray[np.float64]  # a torque [N·m] for each move

TORQUE = 1.2  # [N·m]
MOVE = 12  # steps with one torque
PLANS = 40


def worth(trial: servosim.Simulation, plan: Plan) -> float:
    """The height of the rod, less a little for speed, summed up. To be up sooner is better."""
    position, velocity = trial.joint_positions, trial.joint_velocities
    total = 0.0
    for torque in plan:
        trial.joint_target_torques = np.array([torque])
        trial.step(MOVE)
        total -= float(np.cos(position[0]) + 0.02 * velocity[0] ** 2)
    return total


def best_plan(trial: servosim.Simulation, now: bytes, plan: Plan,
              random: np.random.Generator) -> Plan:
    """The best of several plans: the present one, new ones, and variations of it."""
    plans = [plan]
    for n in range(PLANS):
        change = random.uniform(-TORQUE, TORQUE, plan.size)
        plans.append(change if n % 2 else np.clip(plan + 0.3 * change, -TORQUE, TORQUE))
    tried: list[Tuple[float, int]] = []
    for number, candidate in enumerate(plans):
        trial.restore(now)
        tried.append((worth(trial, candidate), number))
    return plans[max(tried)[1]]


def main(world: str) -> int:
    sim = servosim.Simulation(world)
    trial = sim.clone()
    random = np.random.default_rng(1)
    plan: Plan = np.zeros(12)
    while sim.time < 6.0:
        plan = best_plan(trial, sim.save(), plan, random)
        sim.joints['pendulum/pivot'].target_torque = plan[0]
        sim.step(MOVE)
        plan = np.append(plan[1:], 0.0)
        if np.cos(sim.joint_positions[0]) < -0.98 and abs(sim.joint_velocities[0]) < 1.0:
            print(f'up after {sim.time:.2f} s')
            return 0
    print(f'after {sim.time:.0f} s the rod is not up')
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else 'worlds/pendulum.wbt'))
