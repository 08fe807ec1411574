# SPDX-License-Identifier: Apache-2.0
"""Lifts the arm of worlds/arm.wbt, with types that `mypy --strict` checks.

    servosim run worlds/arm.wbt --controller arm=examples/typed_arm.py

An error is an exception: the program prints it and ends with 1.
"""
import sys
from typing import Optional, TypeVar

from controller import Motor, PositionSensor, Robot, SimulationError

T = TypeVar('T')


def found(device: Optional[T], name: str) -> T:
    """The device. Raises an exception if the robot does not have it."""
    if device is None:
        raise LookupError(f'the robot has no device "{name}"')
    return device


class Joint:
    """A motor with its sensor."""

    def __init__(self, robot: Robot, name: str) -> None:
        self.motor: Motor = found(robot.getMotor(name), name)
        self.sensor: PositionSensor = found(self.motor.getPositionSensor(), name + ' sensor')
        self.sensor.enable(int(robot.basic_time_step))

    def reaches(self, target: float) -> bool:
        """Whether the joint is within 0.01 rad of `target` [rad]."""
        return abs(self.sensor.value - target) < 0.01


def lift(robot: Robot) -> None:
    """Lifts both joints, and prints when they have arrived."""
    targets = {'shoulder': -0.8, 'elbow': 1.1}
    joints = {name: Joint(robot, name) for name in targets}
    for name, joint in joints.items():
        joint.motor.target_position = targets[name]
    while robot.step() != -1:
        if all(joint.reaches(targets[name]) for name, joint in joints.items()):
            print(f'lifted after {robot.time:.2f} s')
            return


if __name__ == '__main__':
    try:
        lift(Robot())
    except (SimulationError, LookupError) as error:
        sys.exit(f'typed_arm: {error}')
