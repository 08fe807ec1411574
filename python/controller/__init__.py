# SPDX-License-Identifier: Apache-2.0
"""Controllers of robots in Python, over the C library libController.

The headers webots/*.h describe the functions of the same names in C in full. Without a simulation,
or when it is lost, functions raise a SimulationError.
"""
import sys as _sys

from .device import Device
from .errors import (ConnectionLostError, NoSimulationError, RobotError, SimulationError,
                     WorldError)
from .joint_devices import Brake, Motor, PositionSensor, Servo
from .node import ContactPoint, Field, Node, Proto
from .other_devices import (LED, Connector, Emitter, Pen, Receiver, Skin, Speaker, VacuumGripper)
from .robot import DifferentialWheels, Robot
from .sensors import (GPS, Accelerometer, Altimeter, Compass, DistanceSensor, Gyro, InertialUnit,
                      LightSensor, TouchSensor)
from .supervisor import Supervisor
from .user_input import Joystick, Keyboard, Mouse, MouseState
from .utils import AnsiCodes, Motion
from .vision import (Camera, CameraRecognitionObject, Display, ImageRef, Lidar, LidarPoint, Radar,
                     RadarTarget, RangeFinder)
from .wb import snake as _snake
from .without_display import prepare as _prepare_for_no_display

__all__ = [
    'Accelerometer', 'Altimeter', 'AnsiCodes', 'Brake', 'Camera', 'CameraRecognitionObject', 'Compass',
    'ConnectionLostError', 'Connector', 'ContactPoint', 'Device', 'DifferentialWheels', 'Display',
    'DistanceSensor', 'Emitter', 'Field', 'GPS', 'Gyro', 'ImageRef', 'InertialUnit', 'Joystick',
    'Keyboard', 'LED', 'Lidar', 'LidarPoint', 'LightSensor', 'Motion', 'Motor', 'Mouse', 'MouseState',
    'NoSimulationError', 'Node', 'Pen', 'PositionSensor', 'Proto', 'Radar', 'RadarTarget',
    'RangeFinder', 'Receiver', 'Robot', 'RobotError', 'Servo', 'SimulationError', 'Skin', 'Speaker',
    'Supervisor', 'TouchSensor', 'VacuumGripper', 'WorldError',
]

# Webots has a module for each class, such as controller.position_sensor.
for _name in __all__:
    _module = _sys.modules[globals()[_name].__module__]
    _sys.modules.setdefault(f'{__name__}.{_snake(_name)}', _module)

_prepare_for_no_display()
