# SPDX-License-Identifier: Apache-2.0
"""Escape sequences for the console, and .motion files."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

from ctypes import c_char_p
from typing import Optional

from .wb import HANDLE, OWN_HANDLE, Setting, Value, binds, call, declare, encoded


class AnsiCodes:
    """Colors and styles of what is printed after them, until RESET."""

    RESET = '\x1b[0m'
    BOLD = '\x1b[1m'
    UNDERLINE = '\x1b[4m'
    CLEAR_SCREEN = '\x1b[2J'
    BLACK_FOREGROUND = '\x1b[30m'
    RED_FOREGROUND = '\x1b[31m'
    GREEN_FOREGROUND = '\x1b[32m'
    YELLOW_FOREGROUND = '\x1b[33m'
    BLUE_FOREGROUND = '\x1b[34m'
    MAGENTA_FOREGROUND = '\x1b[35m'
    CYAN_FOREGROUND = '\x1b[36m'
    WHITE_FOREGROUND = '\x1b[37m'
    BLACK_BACKGROUND = '\x1b[40m'
    RED_BACKGROUND = '\x1b[41m'
    GREEN_BACKGROUND = '\x1b[42m'
    YELLOW_BACKGROUND = '\x1b[43m'
    BLUE_BACKGROUND = '\x1b[44m'
    MAGENTA_BACKGROUND = '\x1b[45m'
    CYAN_BACKGROUND = '\x1b[46m'
    WHITE_BACKGROUND = '\x1b[47m'


declare('wbu_motion_new', HANDLE, c_char_p)
declare('wbu_motion_delete', None, HANDLE)


@binds('wbu_motion_', own=OWN_HANDLE)
class Motion:
    """Plays a .motion file with the motors of the robot."""

    def __init__(self, filename: str) -> None:
        """Reads a .motion file; isValid() says whether it could."""
        self._ref: Optional[int] = call('wbu_motion_new', encoded(filename))

    def __del__(self) -> None:
        if getattr(self, '_ref', None):
            call('wbu_motion_delete', self._ref)

    def isValid(self) -> bool:
        """False when the file could not be read."""
        return self._ref is not None

    def play(self) -> None:
        """Plays from where it is, or from the other end when it is over."""

    def stop(self) -> None:
        """Stops it; its time stays."""

    def setLoop(self, loop: bool) -> None:
        """Sets whether it begins again at its end."""

    def setReverse(self, reverse: bool) -> None:
        """Sets whether it plays backwards."""

    def isOver(self) -> bool:
        """Whether it is at the end towards which it plays; never true for a loop."""

    def getDuration(self) -> int:
        """The time of the last pose [ms]."""

    def getTime(self) -> int:
        """The present time [ms], 0 to its duration."""

    def setTime(self, time: int) -> None:
        """Sets the time [ms]; a time outside of 0 to the duration becomes the nearer end."""

    valid = Value(isValid)
    is_valid = Value(isValid)
    is_over = Value(isOver)
    duration = Value(getDuration)
    time = Setting(getTime, setTime)
