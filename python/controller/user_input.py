# SPDX-License-Identifier: Apache-2.0
"""Keyboard, mouse and joystick: there is never any input."""
from ctypes import Structure, c_bool, c_double

from .wb import binds, call, declare


class MouseState(Structure):
    """Buttons, place in the window (0 to 1), and place in the world [m]."""

    _fields_ = [('left', c_bool), ('middle', c_bool), ('right', c_bool), ('u', c_double),
                ('v', c_double), ('x', c_double), ('y', c_double), ('z', c_double)]

    def getLeft(self):
        return self.left

    def getMiddle(self):
        return self.middle

    def getRight(self):
        return self.right

    def getU(self):
        return self.u

    def getV(self):
        return self.v

    def getX(self):
        return self.x

    def getY(self):
        return self.y

    def getZ(self):
        return self.z


declare('wb_mouse_get_state', MouseState)


@binds('wb_keyboard_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    int getKey()
''', own=None)
class Keyboard:
    END = 312
    HOME = 313
    LEFT = 314
    UP = 315
    RIGHT = 316
    DOWN = 317
    PAGEUP = 366
    PAGEDOWN = 367
    NUMPAD_HOME = 375
    NUMPAD_LEFT = 376
    NUMPAD_UP = 377
    NUMPAD_RIGHT = 378
    NUMPAD_DOWN = 379
    NUMPAD_END = 382
    KEY = 0x0000ffff
    SHIFT = 0x00010000
    CONTROL = 0x00020000
    ALT = 0x00040000

    def __init__(self, sampling_period=None):
        if sampling_period is not None:
            self.enable(sampling_period)


@binds('wb_mouse_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    void enable3dPosition()
    void disable3dPosition()
    bool is3dPositionEnabled()
''', own=None)
class Mouse:
    def __init__(self, sampling_period=None):
        if sampling_period is not None:
            self.enable(sampling_period)

    def getState(self):
        return call('wb_mouse_get_state')


@binds('wb_joystick_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    bool isConnected()
    string getModel()
    int getNumberOfAxes()
    int getAxisValue(int axis)
    int getNumberOfPovs()
    int getPovValue(int pov)
    int getPressedButton()
    void setConstantForce(int level)
    void setConstantForceDuration(double duration)
    void setAutoCenteringGain(double gain)
    void setResistanceGain(double gain)
    void setForceAxis(int axis)
''', own=None)
class Joystick:
    def __init__(self, sampling_period=None):
        if sampling_period is not None:
            self.enable(sampling_period)
