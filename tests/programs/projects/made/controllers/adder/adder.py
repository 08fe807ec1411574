# SPDX-License-Identifier: Apache-2.0
"""Runs until the simulation ends."""
from controller import Robot

robot = Robot()
print(robot.getName(), "begins")
while robot.step(int(robot.getBasicTimeStep())) != -1:
    pass
print(f"{robot.getName()} ends after {robot.getTime():.3f} s")
