# SPDX-License-Identifier: Apache-2.0
"""TouchSensors have one value, three, or six where they sit in a joint."""
import unittest

from controller import Robot, TouchSensor

robot = Robot()
STEP = int(robot.getBasicTimeStep())
G = 9.81


class Touch(unittest.TestCase):
    def test_values(self):
        neck, hat, foot = (robot.getTouchSensor(name) for name in ('neck', 'hat', 'foot'))
        for sensor in (neck, hat, foot):
            sensor.enable(STEP)
        self.assertEqual(neck.model, 'force-torque')
        self.assertEqual(neck.getType(), TouchSensor.FORCE3D)
        self.assertEqual([len(sensor.getValues()) for sensor in (neck, hat)], [6, 3])
        for _ in range(500):
            self.assertNotEqual(robot.step(STEP), -1)
        for value, expected in zip(neck.values, [0, 0, -G, 0, 0.01 * G, 0]):
            self.assertAlmostEqual(value, expected, delta=0.02)
        self.assertAlmostEqual(hat.values[2], -2 * G, delta=0.02)
        self.assertAlmostEqual(foot.value, 50 * G, delta=0.5)


unittest.main(argv=['api_python_touch'])
