# SPDX-License-Identifier: Apache-2.0
"""step_timer.c in Python: measures its own steps and prints the median in microseconds."""
import math
from time import perf_counter

from controller import Robot

STEPS = 20001

robot = Robot()
time_step = int(robot.getBasicTimeStep())
motor = robot.getDevice('shoulder')
sensor = robot.getDevice('shoulder sensor')
sensor.enable(time_step)
took = []
for i in range(STEPS):
    start = perf_counter()
    motor.setPosition(0.3 * math.sin(0.01 * i) - 0.5)
    if robot.step(time_step) == -1 or math.isnan(sensor.getValue()):
        raise SystemExit(1)
    took.append(perf_counter() - start)
print(f'{1e6 * sorted(took)[STEPS // 2]:.3f}')
