# SPDX-License-Identifier: Apache-2.0
"""Runs the belt of a ConveyorBelt.

Arguments: the speed [m/s], and the simulated time [s] after which the belt stops, 0 for never.
"""

import sys

from controller import Robot

robot = Robot()
time_step = int(robot.getBasicTimeStep())
speed = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
stop_time = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
motor = robot.getDevice("belt_motor")
motor.setPosition(float("inf"))
motor.setVelocity(speed)
while robot.step(time_step) != -1:
    if 0.0 < stop_time <= robot.getTime():
        motor.setVelocity(0.0)
