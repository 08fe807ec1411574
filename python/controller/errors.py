# SPDX-License-Identifier: Apache-2.0
"""The exceptions of a controller that has no simulation, or has lost it."""
from __future__ import annotations

import os
from typing import Callable, Dict, Type


class SimulationError(RuntimeError):
    """The simulation cannot begin or go on; the text says where, what, and what to do."""


class WorldError(SimulationError, ValueError):
    """The world cannot be simulated: a line `file:line:column: error: ...` for each reason."""


class RobotError(SimulationError, LookupError):
    """The simulation has no robot of that name, or it has several and the program names none."""


class NoSimulationError(SimulationError, ConnectionError):
    """There is no simulation to join, or it refuses this program."""


class ConnectionLostError(SimulationError, ConnectionError):
    """The connection was closed before the simulation ended. Every later step raises it too."""


# src/controller_api/client/ending.h has the same numbers in EndingKind.
_OVER = 0
_KINDS: Dict[int, Type[SimulationError]] = {
    1: WorldError,
    2: RobotError,
    3: NoSimulationError,
    4: ConnectionLostError,
    5: SimulationError,
}


def _where_asked() -> str:
    for name in ('WEBOTS_CONTROLLER_URL', 'SERVOSIM_WORLD'):
        if os.environ.get(name):
            return f'{name}={os.environ[name]}: '
    return ''


_COMPLETE: Dict[Type[SimulationError], Callable[[str], str]] = {
    WorldError: lambda why: f'the world cannot be simulated:\n{why}\n'
                            'Correct it, or name another world in SERVOSIM_WORLD.',
    RobotError: lambda why: f'{_where_asked()}{why}.\nThe variables WEBOTS_ROBOT_NAME and '
                            'WEBOTS_CONTROLLER_URL name the robot.',
    ConnectionLostError: lambda why: f'{why}\nThe simulator was killed, or ended by an error of '
                                     'its own: look at its messages, and start both again.',
}


def made(kind: int, why: str) -> BaseException:
    """The exception for an ending of that number in the C library."""
    if kind == _OVER:
        return SystemExit(0)  # a step after the last one ends the program, as in C
    error = _KINDS.get(kind, SimulationError)
    why = why or 'the simulation cannot begin; its messages on standard error say why'
    return error(_COMPLETE[error](why) if error in _COMPLETE else why)
