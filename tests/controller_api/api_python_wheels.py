# SPDX-License-Identifier: Apache-2.0
"""The DifferentialWheels of Webots 6 in Python, in a controller as it was written at that time."""
from controller import *


def near(value, expected, tolerance):
    if not abs(value - expected) <= tolerance:
        raise SystemExit(f'{value}, not {expected}')


class Rover(DifferentialWheels):
    timeStep = 16

    def __init__(self):
        DifferentialWheels.__init__(self)
        self.gps = self.getGPS('gps')
        self.gps.enable(self.timeStep)
        self.front = self.getDistanceSensor('front')
        self.front.enable(self.timeStep)

    def run(self):
        near(self.getMaxSpeed(), 20.0, 0)
        self.enableEncoders(self.timeStep)
        self.setEncoders(1000, -1000)
        self.setSpeed(20, 20)  # 10 rad/s, that is 0.5 m/s
        for _ in range(100):
            if self.step(self.timeStep) == -1:
                raise SystemExit('it ends too early')
        near(self.front.getValue(), 3.2, 1e-6)
        near(self.gps.getValues()[2], -0.9, 1e-9)
        near(self.getLeftEncoder(), 2600, 1)
        near(self.getRightEncoder(), 600, 1)
        if self.keyboardGetKey() != 0:
            raise SystemExit('a key is pressed')


Rover().run()
