# SPDX-License-Identifier: Apache-2.0
"""Escape sequences for the console, and .motion files."""
from ctypes import c_char_p

from .wb import HANDLE, OWN_HANDLE, binds, call, declare, encoded


class AnsiCodes:
    """To be printed."""

    RESET = '\x1b[0m'
    BOLD = '\x1b[1m'
    UNDERLINE = '\x1b[4m'
    CLEAR_SCREEN = '\x1b[2J'


for _number, _color in enumerate('BLACK RED GREEN YELLOW BLUE MAGENTA CYAN WHITE'.split()):
    setattr(AnsiCodes, _color + '_FOREGROUND', f'\x1b[3{_number}m')
    setattr(AnsiCodes, _color + '_BACKGROUND', f'\x1b[4{_number}m')

declare('wbu_motion_new', HANDLE, c_char_p)
declare('wbu_motion_delete', None, HANDLE)


@binds('wbu_motion_', '''
    void play()
    void stop()
    void setLoop(bool loop)
    void setReverse(bool reverse)
    bool isOver()
    int getDuration()
    int getTime()
    void setTime(int time)
''', own=OWN_HANDLE)
class Motion:
    """Plays a .motion file with the motors of the robot."""

    def __init__(self, filename):
        self._ref = call('wbu_motion_new', encoded(filename))

    def __del__(self):
        if getattr(self, '_ref', None):
            call('wbu_motion_delete', self._ref)

    def isValid(self):
        """False when the file could not be read."""
        return self._ref is not None

    @property
    def valid(self):
        return self.isValid()
