# SPDX-License-Identifier: Apache-2.0
"""Trains a cart-pole as with Webots: a Supervisor begins the episodes of its own world.

    servosim run WORLD --controller "cart pole=examples/training/supervisor.py"     hosted
    SERVOSIM_WORLD=WORLD python3 examples/training/supervisor.py                    embedded

WORLD is servosim/worlds/cart_pole.wbt of the package. batch.py does the same in many instances at
once. The environment has the functions of Gymnasium's Env, from which it could also be derived.
"""
from __future__ import annotations

import sys
import time
from typing import Any, Dict, Optional, Tuple, TypeVar

import numpy as np

from controller import Motor, Node, PositionSensor, Supervisor
from learning import Array, cross_entropy

T = TypeVar('T')

CONTROL_STEP = 20  # [ms]
MAX_STEPS = 500
GOAL = 475.0  # steps upright
POPULATION, ELITE = 32, 6


def found(thing: Optional[T], name: str) -> T:
    if thing is None:
        raise LookupError(f'the world has no {name}')
    return thing


class CartPole:
    """An environment like those of Gymnasium: observations (4,), forces (1,), a reward of 1 for
    each step.
    """

    def __init__(self) -> None:
        self.robot = Supervisor()
        self.motor: Motor = found(self.robot.getMotor('cart'), 'motor "cart"')
        self.sensors = [self.sensor(name) for name in ('cart position', 'pole angle')]
        self.joints = [self.node('SLIDE'), self.node('HINGE')]
        self.cart, self.pole = self.node('SLIDE.CART'), self.node('SLIDE.CART.HINGE.POLE')
        self.steps = 0
        self.total_steps = 0
        self.random = np.random.default_rng()

    def sensor(self, name: str) -> PositionSensor:
        return found(self.robot.getPositionSensor(name), f'sensor "{name}"')

    def node(self, name: str) -> Node:
        return found(self.robot.getFromDef(name), f'node DEF {name}')

    def reset(self, seed: Optional[int] = None) -> Tuple[Array, Dict[str, Any]]:
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.robot.simulationReset()
        self.robot.step(CONTROL_STEP)  # the world is reset at its end
        for joint in self.joints:
            joint.setJointPosition(float(self.random.uniform(-0.05, 0.05)))
        self.robot.simulationResetPhysics()
        for sensor in self.sensors:
            sensor.enable(CONTROL_STEP)
        self.motor.setForce(0.0)
        self.robot.step(CONTROL_STEP)  # the sensors have measured at its end
        self.steps = 0
        return self.observed(), {}

    def step(self, action: Array) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        self.motor.setForce(float(action[0]))
        self.robot.step(CONTROL_STEP)
        self.steps += 1
        self.total_steps += 1
        observed = self.observed()
        ended = bool(abs(observed[0]) > 2.4 or abs(observed[1]) > 0.2)
        return observed, 1.0, ended, self.steps >= MAX_STEPS, {}

    def observed(self) -> Array:
        position, angle = (sensor.getValue() for sensor in self.sensors)
        return np.array([position, angle, self.cart.getVelocity()[0], self.pole.getVelocity()[4]])


def play_one(env: CartPole, gains: Array, seed: int) -> float:
    """The sum of the rewards of an episode."""
    observed, _ = env.reset(seed)
    total, going = 0.0, True
    while going:
        # BLAS is not used: its bits differ by machine.
        force = np.clip((gains * observed).sum(), -10.0, 10.0)
        observed, reward, ended, cut, _ = env.step(force[None])
        total += reward
        going = not ended and not cut
    return total


def main() -> int:
    env = CartPole()
    random = np.random.default_rng(1)

    def evaluate(candidates: Array) -> Array:
        seed = int(random.integers(2**31))
        return np.array([play_one(env, gains, seed) for gains in candidates])

    start = time.perf_counter()
    _, curve = cross_entropy(evaluate, np.zeros(4), np.full(4, 20.0), goal=GOAL, generations=30,
                             elite=ELITE, population=POPULATION, random=random)
    took = time.perf_counter() - start
    print(f'{env.total_steps} steps in {took:.2f} s, {env.total_steps / took:.0f} per second')
    solved = curve['population'][-1] >= GOAL
    print('solved' if solved else 'not solved')
    env.robot.simulationQuit(0 if solved else 1)
    env.robot.step(CONTROL_STEP)
    return 0 if solved else 1


if __name__ == '__main__':
    sys.exit(main())
