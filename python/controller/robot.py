# SPDX-License-Identifier: Apache-2.0
"""The robot that this program controls."""
import os
import sys
from ctypes import c_char_p, c_int

from . import joint_devices, other_devices, sensors, vision
from .node import Node
from .user_input import Joystick, Keyboard, Mouse
from .wb import TAG, Getter, binds, call, declare, encoded, functions

KINDS = {kind.__name__: kind for kind in (
    joint_devices.Brake, joint_devices.Motor, joint_devices.PositionSensor, joint_devices.Servo,
    other_devices.Connector, other_devices.Emitter, other_devices.LED, other_devices.Pen,
    other_devices.Receiver, other_devices.Skin, other_devices.Speaker, other_devices.VacuumGripper,
    sensors.Accelerometer, sensors.Altimeter, sensors.Compass, sensors.DistanceSensor, sensors.GPS,
    sensors.Gyro, sensors.InertialUnit, sensors.LightSensor, sensors.TouchSensor,
    vision.Camera, vision.Display, vision.Lidar, vision.Radar, vision.RangeFinder)}
# The class of each type of node.
_BY_TYPE = {getattr(Node, name): kind for name, kind in {
    'ACCELEROMETER': 'Accelerometer', 'ALTIMETER': 'Altimeter', 'BRAKE': 'Brake',
    'CAMERA': 'Camera', 'COMPASS': 'Compass', 'CONNECTOR': 'Connector', 'DISPLAY': 'Display',
    'DISTANCE_SENSOR': 'DistanceSensor', 'EMITTER': 'Emitter', 'GPS': 'GPS', 'GYRO': 'Gyro',
    'INERTIAL_UNIT': 'InertialUnit', 'LED': 'LED', 'LIDAR': 'Lidar', 'LIGHT_SENSOR': 'LightSensor',
    'LINEAR_MOTOR': 'Motor', 'PEN': 'Pen', 'POSITION_SENSOR': 'PositionSensor', 'RADAR': 'Radar',
    'RANGE_FINDER': 'RangeFinder', 'RECEIVER': 'Receiver', 'ROTATIONAL_MOTOR': 'Motor',
    'SERVO': 'Servo', 'SKIN': 'Skin', 'SPEAKER': 'Speaker', 'TOUCH_SENSOR': 'TouchSensor',
    'VACUUM_GRIPPER': 'VacuumGripper'}.items()}

declare('wb_robot_init', c_int)
declare('wb_robot_step', c_int, c_int)
declare('wb_robot_get_device', TAG, c_char_p)
declare('wb_robot_get_device_by_index', TAG, c_int)
declare('wb_device_get_node_type', c_int, TAG)
declare('wb_device_get_name', c_char_p, TAG)
declare('wb_node_get_name', c_char_p, c_int)
declare('wb_robot_wwi_send', None, c_char_p, c_int)


def _holds_simulation():
    """Whether the simulation is in this process, as the C library decides it."""
    others = ('SERVOSIM_CONTROLLER_FD', 'WEBOTS_CONTROLLER_URL')
    return bool(os.environ.get('SERVOSIM_WORLD')) and not any(map(os.environ.get, others))


@binds('wb_robot_', '''
    void cleanup()
    int stepBegin(int duration)
    int stepEnd()
    int waitForUserInputEvent(int eventType, int timeout)
    double getTime()
    double getBasicTimeStep()
    string getName()
    string getModel()
    string getCustomData()
    void setCustomData(string data)
    int getMode()
    void setMode(int mode, string arg='')
    bool getSynchronization()
    bool getSupervisor()
    string getProjectPath()
    string getWorldPath()
    string getUrdf(string prefix='')
    int getNumberOfDevices()
    void batterySensorEnable(int samplingPeriod)
    void batterySensorDisable()
    int batterySensorGetSamplingPeriod()
    double batterySensorGetValue()
    void pinToStaticEnvironment(bool pin)
    string wwiReceiveText()
    string getControllerName()
    string getControllerArguments()
    string getData()
    void setData(string data)
    int getType()
    void keyboardEnable(int ms)
    void keyboardDisable()
    int keyboardGetKey()
    void enableBattery(int ms) =wb_robot_battery_sensor_enable
    void disableBattery() =wb_robot_battery_sensor_disable
    int getBatterySamplingPeriod() =wb_robot_battery_sensor_get_sampling_period
    double getBatteryValue() =wb_robot_battery_sensor_get_value
''', own=None)
class Robot:
    """One object of this class, or of a class derived from it, is the robot of this program."""

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

    NAMES_ARE_FREE = True
    created = None  # the one there is

    def __init__(self):
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
        if hasattr(sys.stdout, 'reconfigure'):
            sys.stdout.reconfigure(line_buffering=True)  # as in C, also through a pipe
        Robot.created = self
        self.__devices = {}  # by number: its objects, one for each requested class
        self.__keyboard = Keyboard()
        self.__mouse = Mouse()
        self.__joystick = Joystick()
        self.__basic_time_step = int(self.getBasicTimeStep())

    def step(self, time_step=None):
        """Lets time_step ms pass, or the world's basic time step. -1 when the simulation ends."""
        return functions['wb_robot_step'](
            self.__basic_time_step if time_step is None else int(time_step))

    def getKeyboard(self):
        return self.__keyboard

    def getMouse(self):
        return self.__mouse

    def getJoystick(self):
        return self.__joystick

    def wwiSendText(self, text):
        text = encoded(text)
        call('wb_robot_wwi_send', text, len(text) + 1)

    def getDevice(self, name):
        """The device of that name, in the class of its node; None, and a warning, without one."""
        return self.__device(call('wb_robot_get_device', encoded(name)))

    def getDeviceByIndex(self, index):
        return self.__device(call('wb_robot_get_device_by_index', int(index)))

    @Getter
    def devices(self):
        """All devices by name."""
        found = {}
        for i in range(self.getNumberOfDevices()):
            device = self.getDeviceByIndex(i)
            if device is not None:
                found.setdefault(device.getName(), device)
        return found

    def __device(self, tag):
        if tag == 0:
            return None
        made = self.__devices.get(tag)
        if made:
            return made[0]
        kind = _BY_TYPE.get(call('wb_device_get_node_type', tag))
        return self.__make(tag, kind) if kind else None

    def __make(self, tag, kind):
        name = call('wb_device_get_name', tag)
        first = call('wb_robot_get_device', name) == tag
        # Several devices may have one name; functions like createMotor() know the first only.
        device = getattr(self, 'create' + kind)(name.decode()) if first else KINDS[kind](tag)
        if device is not None:
            self.__devices.setdefault(tag, []).append(device)
        return device

    def __device_as(self, name, kind):
        tag = call('wb_robot_get_device', encoded(name))
        if tag == 0:
            return None
        for device in self.__devices.get(tag, ()):
            if isinstance(device, KINDS[kind]):
                return device
        own = _BY_TYPE.get(call('wb_device_get_node_type', tag))
        if own != kind and {own, kind} != {'Motor', 'Servo'}:
            print(f'Warning: "{name}" is a {own}, not a {kind}.', file=sys.stderr)
            return None
        return self.__make(tag, kind)


del Robot.data  # programs have data of their own


def _add_device_functions(kind):
    def get(self, name):
        return self._Robot__device_as(name, kind)

    def create(self, name):
        return KINDS[kind](name)

    for method, prefix in ((get, 'get'), (create, 'create')):
        method.__name__ = prefix + kind
        method.__qualname__ = 'Robot.' + prefix + kind
        setattr(Robot, prefix + kind, method)


for _kind in KINDS:
    _add_device_functions(_kind)
for _name, _value in vars(Keyboard).items():
    if _name.isupper():
        setattr(Robot, 'KEYBOARD_' + _name, _value)  # up to Webots 8.4


def _device_of(tag):
    return Robot.created._Robot__device(tag) if Robot.created is not None else None


functions['device_of'] = _device_of


@binds('wb_differential_wheels_', '''
    void setSpeed(double left, double right)
    double getLeftSpeed()
    double getRightSpeed()
    void enableEncoders(int ms)
    void disableEncoders()
    int getEncodersSamplingPeriod()
    double getLeftEncoder()
    double getRightEncoder()
    void setEncoders(double left, double right)
    double getMaxSpeed()
    double getSpeedUnit()
''', own=None)
class DifferentialWheels(Robot):
    """The robot with two wheels of Webots before R2019."""
