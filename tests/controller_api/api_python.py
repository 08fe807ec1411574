# SPDX-License-Identifier: Apache-2.0
"""The Python API has one object for each device, of the class of its node, and gives the same
numbers as C.
"""
import io
import itertools
import math
import os
import pathlib
import re
import tempfile
import unittest
from ctypes import c_bool, c_char_p, c_double, c_int

from controller import (AnsiCodes, Brake, Emitter, Field, Keyboard, Motor, MouseState, Node,
                        PositionSensor, Robot, TouchSensor)
from controller.wb import HANDLE, TAG, call, declare, signatures


class HalfSpeedMotor(Motor):
    def setVelocity(self, velocity):
        super().setVelocity(0.5 * velocity)


class Arm(Robot):
    def __init__(self):
        super().__init__()
        self.keyboard = 'a name of its own'  # Robot has this name, too

    def createMotor(self, name):
        return HalfSpeedMotor(name) if name == 'roll' else super().createMotor(name)


class Errors:
    """Collects what the library and Python write to standard error meanwhile."""

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.kept = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)
        self.file.seek(0)
        self.text = self.file.read().decode()
        self.file.close()


HEADERS = pathlib.Path(__file__).resolve().parents[2] / 'include' / 'webots'


class Words(dict):
    def __missing__(self, kind):
        return 'pointer' if hasattr(kind, 'contents') else kind


WORDS = Words({None: 'void', TAG: 'tag', HANDLE: 'pointer', c_char_p: 'pointer', c_int: 'int',
               c_double: 'double', c_bool: 'bool', MouseState: 'WbMouseState'})


def shape(text):
    """Returns the C type of a result or parameter, as far as ctypes distinguishes it."""
    if '*' in text or '[' in text or re.search(r'Wb\w+Ref\b', text):
        return 'pointer'
    word = re.sub(r'\bconst\b', '', text).split()[0]
    if word in ('void', 'int', 'double', 'bool', 'WbMouseState'):
        return word
    return 'tag' if word == 'WbDeviceTag' else 'int'  # an enumeration


robot = Arm()


class PythonApi(unittest.TestCase):
    def says(self, text, function, *values):
        with Errors() as errors:
            result = function(*values)
        self.assertIn(text, errors.text)
        return result

    def test_hands_out_the_same_objects(self):
        shoulder = robot.getDevice('shoulder')
        self.assertIsInstance(shoulder, Motor)
        self.assertIs(robot.getMotor('shoulder'), shoulder)
        self.assertIs(robot.getDeviceByIndex(0), shoulder)
        self.assertIs(robot.devices['shoulder'], shoulder)
        self.assertEqual(len(robot.devices), robot.number_of_devices)
        self.assertIs(shoulder.getPositionSensor(), robot.getDevice('shoulder sensor'))
        self.assertIs(shoulder.position_sensor.motor, shoulder)
        self.assertIsInstance(shoulder.brake, Brake)
        self.assertIsNone(robot.getDevice('roll').brake)

    def test_knows_classes(self):
        self.assertIsInstance(robot.getDevice('skin'), TouchSensor)
        self.assertIsInstance(robot.getDevice('roll'), HalfSpeedMotor)
        self.assertEqual(robot.getDevice('skin').model, 'patch')
        self.assertEqual(robot.getDevice('lift').getType(), Motor.LINEAR)
        self.assertEqual(robot.getDevice('lift').node_type, Node.LINEAR_MOTOR)
        self.assertEqual(robot.getServo('lift').getMaxPosition(),
                         robot.getMotor('lift').max_position)
        self.assertIsNone(self.says('"lift" is a Motor, not a Camera.', robot.getCamera, 'lift'))
        self.assertIsNone(self.says('"tail" device not found.', robot.getDevice, 'tail'))

    def test_constants_are_those_of_the_library(self):
        for number, name in ((Node.HINGE_2_JOINT, 'Hinge2Joint'), (Node.RADIO, 'Radio'),
                             (Node.SERVO, 'Servo'), (Node.GPS, 'GPS')):
            self.assertEqual(call('wb_node_get_name', number).decode(), name)
        self.assertEqual((Field.SF_NODE, Field.MF_BOOL, Field.MF_NODE), (9, 17, 25))
        self.assertEqual(Robot.KEYBOARD_UP, Keyboard.UP)
        self.assertEqual(AnsiCodes.RED_FOREGROUND, '\x1b[31m')
        self.assertEqual(Emitter.CHANNEL_BROADCAST, -1)

    def test_passes_numbers_on_as_methods_and_properties(self):
        shoulder = robot.getDevice('shoulder')
        self.assertEqual((shoulder.getMaxVelocity(), shoulder.max_torque), (4.0, 30.0))
        self.assertEqual((shoulder.min_position, shoulder.max_position), (-2.0, 2.5))
        shoulder.target_position = 0.25
        self.assertEqual(shoulder.getTargetPosition(), 0.25)
        shoulder.available_torque = 12.5
        self.assertEqual(shoulder.getAvailableForce(), 12.5)
        robot.getMotor('roll').setVelocity(1.5)
        self.assertEqual(robot.getMotor('roll').velocity, 0.75)
        sensor = robot.getDevice('lift sensor')
        sensor.sampling_period = 32
        self.assertEqual(sensor.getSamplingPeriod(), 32)
        self.assertTrue(math.isnan(sensor.value))
        sensor.disable()
        self.assertEqual(PositionSensor('lift sensor', 48).sampling_period, 48)

    def test_passes_texts_on(self):
        self.assertEqual((robot.name, robot.getModel()), ('arm', 'test arm'))
        robot.custom_data = 'grüße'
        self.assertEqual(robot.getCustomData(), 'grüße')
        self.assertEqual(robot.getControllerArguments(), 'left right hand')
        self.assertTrue(robot.getWorldPath().endswith('api_arm.wbt'))
        self.assertIs(robot.getSupervisor(), True)
        self.assertEqual(robot.basic_time_step, 16.0)

    def test_moves(self):
        shoulder, sensor = robot.getMotor('shoulder'), robot.getPositionSensor('shoulder sensor')
        sensor.enable(16)
        shoulder.setAcceleration(-1)
        shoulder.setControlPID(10, 0, 0)
        shoulder.setVelocity(2)
        shoulder.setPosition(0.75)
        before = robot.getTime()
        for _ in range(50):
            self.assertEqual(robot.step(), 0)
            self.assertEqual(robot.step(16.0), 0)
        self.assertAlmostEqual(robot.time - before, 1.6)
        self.assertAlmostEqual(sensor.getValue(), 0.75, delta=1e-3)

    def test_declares_functions_as_the_headers_do(self):
        found = {}
        for header in itertools.chain(HEADERS.glob('*.h'), HEADERS.glob('utils/*.h'),
                                      HEADERS.glob('plugins/**/*.h')):
            text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.DOTALL)
            for result, name, parameters in re.findall(
                    r'^(\w[\w ]*[ *])(wbu?_\w+)\(([^()]*)\);', text, re.MULTILINE):
                found[name] = [result] + [p for p in parameters.split(',') if p.strip() != 'void']
        for name, (result, parameters) in signatures.items():
            with self.subTest(name):
                shapes = [shape(text) for text in found[name]]
                self.assertEqual(shapes, [WORDS[kind] for kind in (result,) + parameters])

    def test_leaves_names_to_derived_classes(self):
        self.assertEqual(robot.keyboard, 'a name of its own')
        self.assertIsInstance(robot.getKeyboard(), Keyboard)
        with self.assertRaises(AttributeError):
            robot.getDevice('shoulder').max_velocity = 9.0

    def test_has_the_modules_of_webots(self):
        from controller.position_sensor import PositionSensor as same
        self.assertIs(same, PositionSensor)

    def test_bad_values_are_refused(self):
        shoulder = robot.getMotor('shoulder')
        for value in ('far', None, [1.0]):
            with self.assertRaises((TypeError, ValueError)):
                shoulder.setPosition(value)
        with self.assertRaises(TypeError):
            shoulder.setPosition()
        with self.assertRaises(AttributeError):
            shoulder.setTarget(1.0)
        if 'SERVOSIM_WORLD' in os.environ:
            with self.assertRaisesRegex(RuntimeError, 'a process for each simulation'):
                Robot()
        else:
            self.assertEqual(Robot().getName(), robot.getName())  # the existing object, and a
                                                                  # message
        self.says('wb_motor_set_position()', shoulder.setPosition, math.nan)
        self.says('wb_position_sensor_enable()', robot.getDevice('shoulder sensor').enable, -5)

    def test_a_function_that_the_library_lacks_is_named_when_it_is_called(self):
        declare('wb_motor_set_smell', None, TAG)
        self.addCleanup(signatures.pop, 'wb_motor_set_smell')
        with self.assertRaisesRegex(NotImplementedError, r'wb_motor_set_smell\(\) is not in .*so'):
            call('wb_motor_set_smell', 1)


if __name__ == '__main__':
    report = io.StringIO()
    result = unittest.TextTestRunner(report).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(PythonApi))
    if not result.wasSuccessful():
        raise SystemExit(report.getvalue())
