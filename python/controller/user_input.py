# SPDX-License-Identifier: Apache-2.0
"""Keyboard, mouse and joystick: there is never any input."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

from ctypes import Structure, c_bool, c_double
from typing import Optional

from .wb import Setting, Value, binds, call, declare


class MouseState(Structure):
    """Buttons, place in the window (0 to 1), and place in the world [m]."""

    left: bool
    middle: bool
    right: bool
    u: float
    v: float
    x: float
    y: float
    z: float
    _fields_ = [('left', c_bool), ('middle', c_bool), ('right', c_bool), ('u', c_double),
                ('v', c_double), ('x', c_double), ('y', c_double), ('z', c_double)]

    def getLeft(self) -> bool:
        """Whether the left button is pressed."""
        return self.left

    def getMiddle(self) -> bool:
        """Whether the middle button is pressed."""
        return self.middle

    def getRight(self) -> bool:
        """Whether the right button is pressed."""
        return self.right

    def getU(self) -> float:
        """The place in the window from the left, 0 to 1."""
        return self.u

    def getV(self) -> float:
        """The place in the window from the top, 0 to 1."""
        return self.v

    def getX(self) -> float:
        """x in the world [m]."""
        return self.x

    def getY(self) -> float:
        """y in the world [m]."""
        return self.y

    def getZ(self) -> float:
        """z in the world [m]."""
        return self.z


declare('wb_mouse_get_state', MouseState)


@binds('wb_keyboard_', own=None)
class Keyboard:
    """A keyboard; no key is ever pressed."""

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

    def __init__(self, sampling_period: Optional[int] = None) -> None:
        """Enables it, if there is a sampling period [ms]."""
        if sampling_period is not None:
            self.enable(sampling_period)

    def enable(self, samplingPeriod: int) -> None:
        """Accepts a period [ms], 0 or more: no key is ever pressed."""

    def disable(self) -> None:
        """Does nothing: no key is ever pressed."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getKey(self) -> int:
        """-1: no key is ever pressed."""

    sampling_period = Setting(getSamplingPeriod, enable)
    key = Value(getKey)


@binds('wb_mouse_', own=None)
class Mouse:
    """A mouse; no button is ever pressed."""

    def __init__(self, sampling_period: Optional[int] = None) -> None:
        """Enables it, if there is a sampling period [ms]."""
        if sampling_period is not None:
            self.enable(sampling_period)

    def getState(self) -> MouseState:
        """Buttons and place: none is pressed, and the place is NaN."""
        state: MouseState = call('wb_mouse_get_state')
        return state

    def enable(self, samplingPeriod: int) -> None:
        """Accepts a period [ms], 0 or more: there is no mouse."""

    def disable(self) -> None:
        """Does nothing: there is no mouse."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def enable3dPosition(self) -> None:
        """Asks for the place in the world, which stays NaN."""

    def disable3dPosition(self) -> None:
        """Stops asking for the place in the world."""

    def is3dPositionEnabled(self) -> bool:
        """Whether the place in the world is asked for."""

    state = Value(getState)
    sampling_period = Setting(getSamplingPeriod, enable)
    is_3d_position_enabled = Value(is3dPositionEnabled)


@binds('wb_joystick_', own=None)
class Joystick:
    """A joystick; none is ever connected."""

    def __init__(self, sampling_period: Optional[int] = None) -> None:
        """Enables it, if there is a sampling period [ms]."""
        if sampling_period is not None:
            self.enable(sampling_period)

    def enable(self, samplingPeriod: int) -> None:
        """Accepts a period [ms], 0 or more: no joystick is ever connected."""

    def disable(self) -> None:
        """Does nothing: no joystick is ever connected."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def isConnected(self) -> bool:
        """False: no joystick is ever connected."""

    def getModel(self) -> str:
        """'': no joystick is ever connected."""

    def getNumberOfAxes(self) -> int:
        """0: no joystick is ever connected."""

    def getAxisValue(self, axis: int) -> int:
        """0: no joystick is ever connected."""

    def getNumberOfPovs(self) -> int:
        """0: no joystick is ever connected."""

    def getPovValue(self, pov: int) -> int:
        """0: no joystick is ever connected."""

    def getPressedButton(self) -> int:
        """-1: no button is ever pressed."""

    def setConstantForce(self, level: int) -> None:
        """Does nothing: no joystick is ever connected."""

    def setConstantForceDuration(self, duration: float) -> None:
        """Does nothing with a duration [s]: no joystick is ever connected."""

    def setAutoCenteringGain(self, gain: float) -> None:
        """Does nothing: no joystick is ever connected."""

    def setResistanceGain(self, gain: float) -> None:
        """Does nothing: no joystick is ever connected."""

    def setForceAxis(self, axis: int) -> None:
        """Does nothing: no joystick is ever connected."""

    sampling_period = Setting(getSamplingPeriod, enable)
    is_connected = Value(isConnected)
    model = Value(getModel)
    number_of_axes = Value(getNumberOfAxes)
    number_of_povs = Value(getNumberOfPovs)
    pressed_button = Value(getPressedButton)
