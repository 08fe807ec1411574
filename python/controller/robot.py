# SPDX-License-Identifier: Apache-2.0
"""The robot that this program controls."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

import contextlib
import os
import sys
from ctypes import c_char_p, c_int
from typing import Any, Dict, List, Optional, Type, TypeVar

from .device import Device
from .errors import SimulationError
from .joint_devices import Brake, Motor, PositionSensor, Servo
from .node import Node
from .other_devices import (LED, Connector, Emitter, Pen, Receiver, Skin, Speaker, VacuumGripper)
from .sensors import (GPS, Accelerometer, Altimeter, Compass, DistanceSensor, Gyro, InertialUnit,
                      LightSensor, TouchSensor)
from .user_input import Joystick, Keyboard, Mouse
from .vision import Camera, Display, Lidar, Radar, RangeFinder
from .wb import TAG, Getter, Setting, binds, call, declare, decoded, encoded, functions

Kind = TypeVar('Kind', bound=Device)

declare('wb_robot_init', c_int)
declare('wb_robot_step', c_int, c_int)
declare('wb_robot_get_device', TAG, c_char_p)
declare('wb_robot_get_device_by_index', TAG, c_int)
declare('wb_device_get_node_type', c_int, TAG)
declare('wb_device_get_name', c_char_p, TAG)
declare('wb_node_get_name', c_char_p, c_int)
declare('wb_robot_wwi_send', None, c_char_p, c_int)


def _holds_simulation() -> bool:
    """Whether the simulation is in this process, by the rules of the C library."""
    others = ('SERVOSIM_CONTROLLER_FD', 'WEBOTS_CONTROLLER_URL')
    return bool(os.environ.get('SERVOSIM_WORLD')) and not any(map(os.environ.get, others))


_missing: List[str] = []  # names of devices that a program asked for and the robot does not have


def _class_of(tag: int) -> Optional[Type[Device]]:
    """The class of a device, by the type of its node."""
    node = decoded(call('wb_node_get_name', call('wb_device_get_node_type', tag)))
    return Motor if node in ('RotationalMotor', 'LinearMotor') else Device._classes.get(node)


def _tag_of(name: str) -> int:
    """The number of a device; 0, and a warning, without one."""
    tag = int(call('wb_robot_get_device', encoded(name)))
    if tag == 0 and name not in _missing:
        if not _missing:
            _tell_again_at_the_end()
        _missing.append(name)
    return tag


def _tell_again_at_the_end() -> None:
    """Repeats warnings of missing devices if the program ends by an exception: None may be the
    cause.
    """
    before = sys.excepthook

    def hook(kind: Type[BaseException], value: BaseException, traceback: Any) -> None:
        before(kind, value, traceback)
        if issubclass(kind, Exception) and not issubclass(kind, SimulationError):
            sys.stderr.flush()
            with contextlib.suppress(Exception):
                for name in _missing[:3]:
                    call('wb_robot_get_device', encoded(name))

    sys.excepthook = hook


@binds('wb_robot_', own=None, names={
    'enableBattery': 'wb_robot_battery_sensor_enable',
    'disableBattery': 'wb_robot_battery_sensor_disable',
    'getBatterySamplingPeriod': 'wb_robot_battery_sensor_get_sampling_period',
    'getBatteryValue': 'wb_robot_battery_sensor_get_value',
})
class Robot:
    """The robot of this program. There is one object of this class or of a derived one."""

    MODE_SIMULATION = 0
    MODE_CROSS_COMPILATION = 1
    MODE_REMOTE_CONTROL = 2
    EVENT_QUIT = -1
    EVENT_NO_EVENT = 0
    EVENT_MOUSE_CLICK = 1
    EVENT_MOUSE_MOVE = 2
    EVENT_KEYBOARD = 4
    EVENT_JOYSTICK_BUTTON = 8
    EVENT_JOYSTICK_AXIS = 16
    EVENT_JOYSTICK_POV = 32

    # Names of Webots up to 8.4.
    KEYBOARD_END = Keyboard.END
    KEYBOARD_HOME = Keyboard.HOME
    KEYBOARD_LEFT = Keyboard.LEFT
    KEYBOARD_UP = Keyboard.UP
    KEYBOARD_RIGHT = Keyboard.RIGHT
    KEYBOARD_DOWN = Keyboard.DOWN
    KEYBOARD_PAGEUP = Keyboard.PAGEUP
    KEYBOARD_PAGEDOWN = Keyboard.PAGEDOWN
    KEYBOARD_NUMPAD_HOME = Keyboard.NUMPAD_HOME
    KEYBOARD_NUMPAD_LEFT = Keyboard.NUMPAD_LEFT
    KEYBOARD_NUMPAD_UP = Keyboard.NUMPAD_UP
    KEYBOARD_NUMPAD_RIGHT = Keyboard.NUMPAD_RIGHT
    KEYBOARD_NUMPAD_DOWN = Keyboard.NUMPAD_DOWN
    KEYBOARD_NUMPAD_END = Keyboard.NUMPAD_END
    KEYBOARD_KEY = Keyboard.KEY
    KEYBOARD_SHIFT = Keyboard.SHIFT
    KEYBOARD_CONTROL = Keyboard.CONTROL
    KEYBOARD_ALT = Keyboard.ALT

    created: Optional[Robot] = None  # the only one

    def __repr__(self) -> str:
        return f'<{type(self).__name__} {self.getName()!r}>'

    def __init__(self) -> None:
        """Joins the simulation. Raises SimulationError, or RuntimeError for a second robot."""
        if Robot.created is self:
            return
        if Robot.created is not None and _holds_simulation():
            raise RuntimeError(
                'this process holds one simulation, and has a Robot object already: a second Robot '
                'or Supervisor would be the same robot in the same simulation, not a new one. Use '
                'the first object, or a process for each simulation')
        if Robot.created is not None:
            print('Error: a controller can have one Robot object only: this is the first one '
                  'again', file=sys.stderr)
            self.__dict__.update(Robot.created.__dict__)
            return
        call('wb_robot_init')
        reconfigure: Any = getattr(sys.stdout, 'reconfigure', None)
        if reconfigure is not None:
            reconfigure(line_buffering=True)  # as in C, also to a pipe
        Robot.created = self
        # The objects of a device by its number; each requested class has one.
        self.__devices: Dict[int, List[Device]] = {}
        self.__keyboard = Keyboard()
        self.__mouse = Mouse()
        self.__joystick = Joystick()
        self.__basic_time_step = int(self.getBasicTimeStep())

    def step(self, time_step: Optional[int] = None) -> int:
        """Lets `time_step` ms pass, or the basic time step. -1 when the simulation ends."""
        return int(call('wb_robot_step',
                        self.__basic_time_step if time_step is None else int(time_step)))

    def getKeyboard(self) -> Keyboard:
        """The keyboard; no key is ever pressed."""
        return self.__keyboard

    def getMouse(self) -> Mouse:
        """The mouse; no button is ever pressed."""
        return self.__mouse

    def getJoystick(self) -> Joystick:
        """The joystick; none is ever connected."""
        return self.__joystick

    def wwiSendText(self, text: str) -> None:
        """Does nothing: there is no robot window."""
        data = text.encode()
        call('wb_robot_wwi_send', data, len(data) + 1)

    def getDevice(self, name: str) -> Optional[Device]:
        """The device of that name, in the class of its node; None, and a warning, without one."""
        return self.__device(_tag_of(name))

    def getDeviceByIndex(self, index: int) -> Optional[Device]:
        """The device of that number, from 0; None, and a message, without one."""
        return self.__device(call('wb_robot_get_device_by_index', int(index)))

    def __all_devices(self) -> Dict[str, Device]:
        """All devices by name."""
        found: Dict[str, Device] = {}
        for i in range(self.getNumberOfDevices()):
            device = self.getDeviceByIndex(i)
            if device is not None:
                found.setdefault(device.getName(), device)
        return found

    def __device(self, tag: int) -> Optional[Device]:
        if tag == 0:
            return None
        made = self.__devices.get(tag)
        if made:
            return made[0]
        kind = _class_of(tag)
        return self.__make(tag, kind) if kind else None

    def __make(self, tag: int, kind: Type[Kind]) -> Kind:
        name = call('wb_device_get_name', tag)
        first = call('wb_robot_get_device', name) == tag
        # Several devices may have one name; functions like createMotor() know the first only.
        create: Any = getattr(self, 'create' + kind.__name__, kind)
        device: Kind = create(name.decode()) if first else kind(tag)
        if device is not None:
            self.__devices.setdefault(tag, []).append(device)
        return device

    def __device_as(self, name: str, kind: Type[Kind]) -> Optional[Kind]:
        tag = _tag_of(name)
        if tag == 0:
            return None
        for device in self.__devices.get(tag, ()):
            if isinstance(device, kind):
                return device
        own = _class_of(tag)
        if own is not kind and {own, kind} != {Motor, Servo}:
            print(f'Warning: "{name}" is a {own and own.__name__}, not a {kind.__name__}.',
                  file=sys.stderr)
            return None
        return self.__make(tag, kind)

    def getBrake(self, name: str) -> Optional[Brake]:
        """The device of that name if it is a Brake; else None, and a warning."""
        return self.__device_as(name, Brake)

    def createBrake(self, name: str) -> Brake:
        """Makes the object of a Brake; a derived class may make one of its own."""
        return Brake(name)

    def getMotor(self, name: str) -> Optional[Motor]:
        """The device of that name if it is a Motor; else None, and a warning."""
        return self.__device_as(name, Motor)

    def createMotor(self, name: str) -> Motor:
        """Makes the object of a Motor; a derived class may make one of its own."""
        return Motor(name)

    def getPositionSensor(self, name: str) -> Optional[PositionSensor]:
        """The device of that name if it is a PositionSensor; else None, and a warning."""
        return self.__device_as(name, PositionSensor)

    def createPositionSensor(self, name: str) -> PositionSensor:
        """Makes the object of a PositionSensor; a derived class may make one of its own."""
        return PositionSensor(name)

    def getServo(self, name: str) -> Optional[Servo]:
        """The device of that name if it is a Servo; else None, and a warning."""
        return self.__device_as(name, Servo)

    def createServo(self, name: str) -> Servo:
        """Makes the object of a Servo; a derived class may make one of its own."""
        return Servo(name)

    def getConnector(self, name: str) -> Optional[Connector]:
        """The device of that name if it is a Connector; else None, and a warning."""
        return self.__device_as(name, Connector)

    def createConnector(self, name: str) -> Connector:
        """Makes the object of a Connector; a derived class may make one of its own."""
        return Connector(name)

    def getEmitter(self, name: str) -> Optional[Emitter]:
        """The device of that name if it is an Emitter; else None, and a warning."""
        return self.__device_as(name, Emitter)

    def createEmitter(self, name: str) -> Emitter:
        """Makes the object of an Emitter; a derived class may make one of its own."""
        return Emitter(name)

    def getLED(self, name: str) -> Optional[LED]:
        """The device of that name if it is an LED; else None, and a warning."""
        return self.__device_as(name, LED)

    def createLED(self, name: str) -> LED:
        """Makes the object of an LED; a derived class may make one of its own."""
        return LED(name)

    def getPen(self, name: str) -> Optional[Pen]:
        """The device of that name if it is a Pen; else None, and a warning."""
        return self.__device_as(name, Pen)

    def createPen(self, name: str) -> Pen:
        """Makes the object of a Pen; a derived class may make one of its own."""
        return Pen(name)

    def getReceiver(self, name: str) -> Optional[Receiver]:
        """The device of that name if it is a Receiver; else None, and a warning."""
        return self.__device_as(name, Receiver)

    def createReceiver(self, name: str) -> Receiver:
        """Makes the object of a Receiver; a derived class may make one of its own."""
        return Receiver(name)

    def getSkin(self, name: str) -> Optional[Skin]:
        """The device of that name if it is a Skin; else None, and a warning."""
        return self.__device_as(name, Skin)

    def createSkin(self, name: str) -> Skin:
        """Makes the object of a Skin; a derived class may make one of its own."""
        return Skin(name)

    def getSpeaker(self, name: str) -> Optional[Speaker]:
        """The device of that name if it is a Speaker; else None, and a warning."""
        return self.__device_as(name, Speaker)

    def createSpeaker(self, name: str) -> Speaker:
        """Makes the object of a Speaker; a derived class may make one of its own."""
        return Speaker(name)

    def getVacuumGripper(self, name: str) -> Optional[VacuumGripper]:
        """The device of that name if it is a VacuumGripper; else None, and a warning."""
        return self.__device_as(name, VacuumGripper)

    def createVacuumGripper(self, name: str) -> VacuumGripper:
        """Makes the object of a VacuumGripper; a derived class may make one of its own."""
        return VacuumGripper(name)

    def getAccelerometer(self, name: str) -> Optional[Accelerometer]:
        """The device of that name if it is an Accelerometer; else None, and a warning."""
        return self.__device_as(name, Accelerometer)

    def createAccelerometer(self, name: str) -> Accelerometer:
        """Makes the object of an Accelerometer; a derived class may make one of its own."""
        return Accelerometer(name)

    def getAltimeter(self, name: str) -> Optional[Altimeter]:
        """The device of that name if it is an Altimeter; else None, and a warning."""
        return self.__device_as(name, Altimeter)

    def createAltimeter(self, name: str) -> Altimeter:
        """Makes the object of an Altimeter; a derived class may make one of its own."""
        return Altimeter(name)

    def getCompass(self, name: str) -> Optional[Compass]:
        """The device of that name if it is a Compass; else None, and a warning."""
        return self.__device_as(name, Compass)

    def createCompass(self, name: str) -> Compass:
        """Makes the object of a Compass; a derived class may make one of its own."""
        return Compass(name)

    def getDistanceSensor(self, name: str) -> Optional[DistanceSensor]:
        """The device of that name if it is a DistanceSensor; else None, and a warning."""
        return self.__device_as(name, DistanceSensor)

    def createDistanceSensor(self, name: str) -> DistanceSensor:
        """Makes the object of a DistanceSensor; a derived class may make one of its own."""
        return DistanceSensor(name)

    def getGPS(self, name: str) -> Optional[GPS]:
        """The device of that name if it is a GPS; else None, and a warning."""
        return self.__device_as(name, GPS)

    def createGPS(self, name: str) -> GPS:
        """Makes the object of a GPS; a derived class may make one of its own."""
        return GPS(name)

    def getGyro(self, name: str) -> Optional[Gyro]:
        """The device of that name if it is a Gyro; else None, and a warning."""
        return self.__device_as(name, Gyro)

    def createGyro(self, name: str) -> Gyro:
        """Makes the object of a Gyro; a derived class may make one of its own."""
        return Gyro(name)

    def getInertialUnit(self, name: str) -> Optional[InertialUnit]:
        """The device of that name if it is an InertialUnit; else None, and a warning."""
        return self.__device_as(name, InertialUnit)

    def createInertialUnit(self, name: str) -> InertialUnit:
        """Makes the object of an InertialUnit; a derived class may make one of its own."""
        return InertialUnit(name)

    def getLightSensor(self, name: str) -> Optional[LightSensor]:
        """The device of that name if it is a LightSensor; else None, and a warning."""
        return self.__device_as(name, LightSensor)

    def createLightSensor(self, name: str) -> LightSensor:
        """Makes the object of a LightSensor; a derived class may make one of its own."""
        return LightSensor(name)

    def getTouchSensor(self, name: str) -> Optional[TouchSensor]:
        """The device of that name if it is a TouchSensor; else None, and a warning."""
        return self.__device_as(name, TouchSensor)

    def createTouchSensor(self, name: str) -> TouchSensor:
        """Makes the object of a TouchSensor; a derived class may make one of its own."""
        return TouchSensor(name)

    def getCamera(self, name: str) -> Optional[Camera]:
        """The device of that name if it is a Camera; else None, and a warning."""
        return self.__device_as(name, Camera)

    def createCamera(self, name: str) -> Camera:
        """Makes the object of a Camera; a derived class may make one of its own."""
        return Camera(name)

    def getDisplay(self, name: str) -> Optional[Display]:
        """The device of that name if it is a Display; else None, and a warning."""
        return self.__device_as(name, Display)

    def createDisplay(self, name: str) -> Display:
        """Makes the object of a Display; a derived class may make one of its own."""
        return Display(name)

    def getLidar(self, name: str) -> Optional[Lidar]:
        """The device of that name if it is a Lidar; else None, and a warning."""
        return self.__device_as(name, Lidar)

    def createLidar(self, name: str) -> Lidar:
        """Makes the object of a Lidar; a derived class may make one of its own."""
        return Lidar(name)

    def getRadar(self, name: str) -> Optional[Radar]:
        """The device of that name if it is a Radar; else None, and a warning."""
        return self.__device_as(name, Radar)

    def createRadar(self, name: str) -> Radar:
        """Makes the object of a Radar; a derived class may make one of its own."""
        return Radar(name)

    def getRangeFinder(self, name: str) -> Optional[RangeFinder]:
        """The device of that name if it is a RangeFinder; else None, and a warning."""
        return self.__device_as(name, RangeFinder)

    def createRangeFinder(self, name: str) -> RangeFinder:
        """Makes the object of a RangeFinder; a derived class may make one of its own."""
        return RangeFinder(name)

    def cleanup(self) -> None:
        """Leaves the simulation; the last call of a program."""

    def stepBegin(self, duration: int) -> int:
        """Begins a step of `duration` ms, to compute while the simulation runs; -1 at its end."""

    def stepEnd(self) -> int:
        """Waits for the end of the step that stepBegin() began; -1 when the simulation ends."""

    def waitForUserInputEvent(self, eventType: int, timeout: int) -> int:
        """Lets `timeout` ms pass, for ever if negative: there is no user."""

    def getTime(self) -> float:
        """The simulated time of the last step [s]."""

    def getBasicTimeStep(self) -> float:
        """The field basicTimeStep of the world [ms]."""

    def getName(self) -> str:
        """The field name of the robot."""

    def getModel(self) -> str:
        """The field model of the robot."""

    def getCustomData(self) -> str:
        """The field customData of the robot."""

    def setCustomData(self, data: str) -> None:
        """Sets the field customData of the robot, a text of up to 1 MiB."""

    def getMode(self) -> int:
        """Always MODE_SIMULATION."""

    def setMode(self, mode: int, arg: str = '') -> None:
        """Is refused for anything but MODE_SIMULATION."""

    def getSynchronization(self) -> bool:
        """The field synchronization of the robot."""

    def getSupervisor(self) -> bool:
        """The field supervisor of the robot."""

    def getProjectPath(self) -> str:
        """The folder of the project."""

    def getWorldPath(self) -> str:
        """The path of the world."""

    def getUrdf(self, prefix: str = '') -> str:
        """The robot as URDF, where every name begins with `prefix`."""

    def getNumberOfDevices(self) -> int:
        """The number of devices of the robot."""

    def batterySensorEnable(self, samplingPeriod: int) -> None:
        """Measures the battery every `samplingPeriod` ms, 0 or more; 0 stops."""

    def batterySensorDisable(self) -> None:
        """Stops measuring the battery."""

    def batterySensorGetSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def batterySensorGetValue(self) -> float:
        """The charge of the battery [J]; -1 without a battery."""

    def pinToStaticEnvironment(self, pin: bool) -> None:
        """Fixes the base of the robot to the world where it is, or releases it."""

    def wwiReceiveText(self) -> str:
        """'': there is no robot window."""

    def getControllerName(self) -> str:
        """The name of the controller."""

    def getControllerArguments(self) -> str:
        """The field controllerArgs, joined by spaces."""

    def getData(self) -> str:
        """The field customData of the robot (older releases)."""

    def setData(self, data: str) -> None:
        """Sets the field customData of the robot (older releases)."""

    def getType(self) -> int:
        """Always Node.ROBOT."""

    def keyboardEnable(self, ms: int) -> None:
        """Accepts a period [ms], 0 or more: no key is ever pressed."""

    def keyboardDisable(self) -> None:
        """Does nothing: no key is ever pressed."""

    def keyboardGetKey(self) -> int:
        """0: no key is ever pressed."""

    def enableBattery(self, ms: int) -> None:
        """Measures the battery every `ms` milliseconds, 0 or more; 0 stops."""

    def disableBattery(self) -> None:
        """Stops measuring the battery."""

    def getBatterySamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getBatteryValue(self) -> float:
        """The charge of the battery [J]; -1 without a battery."""

    devices = Getter(__all_devices)
    keyboard = Getter(getKeyboard)
    mouse = Getter(getMouse)
    joystick = Getter(getJoystick)
    time = Getter(getTime)
    basic_time_step = Getter(getBasicTimeStep)
    name = Getter(getName)
    model = Getter(getModel)
    custom_data = Setting(getCustomData, setCustomData)
    mode = Getter(getMode)
    synchronization = Getter(getSynchronization)
    supervisor = Getter(getSupervisor)
    project_path = Getter(getProjectPath)
    world_path = Getter(getWorldPath)
    urdf = Getter(getUrdf)
    number_of_devices = Getter(getNumberOfDevices)
    controller_name = Getter(getControllerName)
    controller_arguments = Getter(getControllerArguments)
    type = Getter(getType)
    battery_sampling_period = Setting(getBatterySamplingPeriod, enableBattery)
    battery_value = Getter(getBatteryValue)


def _device_of(tag: int) -> Optional[Device]:
    robot: Any = Robot.created
    return robot._Robot__device(tag) if robot is not None else None


functions['device_of'] = _device_of


@binds('wb_differential_wheels_', own=None)
class DifferentialWheels(Robot):
    """The robot with two wheels of Webots before R2019."""

    def setSpeed(self, left: float, right: float) -> None:
        """Sets the speeds of the wheels [speedUnit], up to maxSpeed; positive is forwards."""

    def getLeftSpeed(self) -> float:
        """The speed of the left wheel that was set last [speedUnit]."""

    def getRightSpeed(self) -> float:
        """The speed of the right wheel that was set last [speedUnit]."""

    def enableEncoders(self, ms: int) -> None:
        """Counts the turns of the wheels every `ms` milliseconds, 0 or more; 0 stops."""

    def disableEncoders(self) -> None:
        """Stops counting."""

    def getEncodersSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getLeftEncoder(self) -> float:
        """The count of the left wheel [pulses]; NaN before the first sample."""

    def getRightEncoder(self) -> float:
        """The count of the right wheel [pulses]; NaN before the first sample."""

    def setEncoders(self, left: float, right: float) -> None:
        """Counts on from these numbers [pulses]."""

    def getMaxSpeed(self) -> float:
        """The field maxSpeed [rad/s]."""

    def getSpeedUnit(self) -> float:
        """The field speedUnit [rad/s]."""

    left_speed = Getter(getLeftSpeed)
    right_speed = Getter(getRightSpeed)
    encoders_sampling_period = Setting(getEncodersSamplingPeriod, enableEncoders)
    left_encoder = Getter(getLeftEncoder)
    right_encoder = Getter(getRightEncoder)
    max_speed = Getter(getMaxSpeed)
    speed_unit = Getter(getSpeedUnit)
