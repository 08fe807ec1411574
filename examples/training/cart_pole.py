# SPDX-License-Identifier: Apache-2.0
"""Solves servosim/CartPole-v0 by a linear-quadratic regulator, with numpy alone.

    python3 examples/training/cart_pole.py [CURVE.svg]

Finite differences of the simulation give a linear model. Each iteration of the value function then
looks one step further ahead; the curve shows how long the pole stays up with the first gains.
"""
from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Iterator, List, Tuple

import numpy as np

from learning import Array, play, save_curve
from servosim import Simulation
from servosim.tasks import CART_POLE, Episodes

COST = np.diag([1.0, 10.0, 0.1, 0.1])  # weights of position [m], angle [rad] and their velocities
COST_OF_FORCE = np.array([[0.01]])
SMALL = 1e-4
HORIZON, SHOWN = 500, 36


def model() -> Tuple[Array, Array]:
    """A and B of state' = A state + B force. The state is that of the observations."""
    sim = Simulation(CART_POLE.world)
    upright = sim.save()
    cart, pole = sim.joints['cart'], sim.joints['pole angle']
    steps = round(CART_POLE.control_step_ms / 1000.0 / sim.time_step)

    def after_a_step(state: Array, force: float) -> Array:
        sim.restore(upright)
        cart.set_state(state[0], state[2])
        pole.set_state(state[1], state[3])
        cart.target_force = force
        sim.step(steps)
        return np.concatenate([sim.joint_positions, sim.joint_velocities])

    def slope(direction: Array, force: float) -> Array:
        return np.asarray(after_a_step(SMALL * direction, SMALL * force) -
                          after_a_step(-SMALL * direction, -SMALL * force)) / (2.0 * SMALL)

    a = np.stack([slope(direction, 0.0) for direction in np.eye(4)], axis=1)
    return a, slope(np.zeros(4), 1.0)[:, None]


def gains_by_horizon(a: Array, b: Array) -> Iterator[Array]:
    """The best gains (1, 4) for a horizon of 1, 2, 3 ... steps, by iterating the Riccati equation.
    """
    value = COST
    while True:
        gains = np.linalg.solve(COST_OF_FORCE + b.T @ value @ b, b.T @ value @ a)
        yield gains
        value = COST + a.T @ value @ (a - b @ gains)


def main(path: Path) -> int:
    episodes = Episodes(CART_POLE, 100, threads=2)
    goal = CART_POLE.reward_threshold
    assert goal is not None
    curve: List[float] = []
    for gains in islice(gains_by_horizon(*model()), HORIZON):
        if len(curve) < SHOWN:
            curve.append(float(play(episodes, lambda observed: -observed @ gains.T).mean()))
            print(f'horizon {len(curve)}: {curve[-1]:.1f} steps')
    save_curve(path, 'Cart-pole by value iteration', 'steps looked ahead', {'steps upright': curve},
               goal, 1)
    result = float(play(episodes, lambda observed: -observed @ gains.T).mean())
    print(f'gains {gains.round(2)}: {result:.1f} steps in 100 new episodes, '
          f'solved from {goal} on: {path}')
    return 0 if result >= goal else 1


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else 'cart_pole.svg')))
