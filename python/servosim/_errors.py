# SPDX-License-Identifier: Apache-2.0
"""The exceptions of servosim, and its logger."""
from __future__ import annotations

import difflib
import logging
import reprlib
from typing import TYPE_CHECKING, Any, List, Sequence

if TYPE_CHECKING:
    from ._servosim import Diagnostic

_MANY = 20  # the most names that a text lists
logger = logging.getLogger('servosim')


class LoadError(ValueError):
    """The world cannot be simulated; the text is the first error."""

    diagnostics: List[Diagnostic]
    """All messages of loading, warnings among them, in the order of the file."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)


class StepFailed(RuntimeError):
    """A step could not be taken. The simulation can go on only after it is restored or reset."""


class Diverged(StepFailed):
    """The simulation left the range of numbers that can be simulated; the text names the place and
    the time.
    """


class InUseError(RuntimeError):
    """The simulation is in use by another thread, or by the call that this one is part of."""


class EditError(ValueError):
    """A field cannot have that value, or nobody can change it."""


class UnknownName(KeyError):
    """Nothing has that name; the text shows the names that are closest to it."""

    nearest: List[str]
    """The names that are closest to the given one, the closest first."""
    names: List[str]
    """All names."""

    def __init__(self, text: str, nearest: Sequence[str] = (), names: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.nearest = list(nearest)
        self.names = list(names)

    def __str__(self) -> str:
        return str(self.args[0])


def unknown_name(what: str, name: str, names: Sequence[str]) -> UnknownName:
    """The exception for a name that is none of `names`; `what` begins the text."""
    parts = {known.rsplit('/', 1)[-1]: known for known in reversed(names)}
    by_part = difflib.get_close_matches(name, list(parts), 3, 0.5)
    nearest = list(dict.fromkeys(difflib.get_close_matches(name, names, 3, 0.5) +
                                 [parts[part] for part in by_part]))
    text = what
    begin = ' There' if nearest else '; there'
    if nearest:
        text += f'; did you mean {" or ".join(map(repr, nearest[:3]))}?'
    if not names:
        text += f'{begin} are none'
    elif len(names) <= _MANY:
        text += f'{begin} are {", ".join(map(repr, names))}'
    else:
        text += f'{begin} are {len(names)}, the first {", ".join(map(repr, names[:_MANY]))}'
    return UnknownName(text, nearest, names)


def unknown_argument(function: str, name: str, names: Sequence[str]) -> TypeError:
    """The exception for an argument that a function does not have."""
    close = difflib.get_close_matches(name, names, 1, 0.5)
    text = f'{function} has no argument {name!r}'
    if close:
        text += f'; did you mean {close[0]!r}?'
    return TypeError(text + (f' There are {", ".join(names)}' if names else '; it takes none'))


class _Repr(reprlib.Repr):
    def repr_int(self, number: int, level: int) -> str:
        """The text of an int. Python refuses to write one of thousands of digits."""
        if number.bit_length() > 256:
            return f'an int of {number.bit_length()} bits'
        return super().repr_int(number, level)


_repr = _Repr()
_repr.maxstring = _repr.maxother = 80


def shown(value: Any) -> str:
    """A value for a message, cut where it is long or deep."""
    return _repr.repr(value)


def log_notice(text: str) -> None:
    """Sends a notice of a running simulation to the logger."""
    logger.warning('%s', text)


def log_warnings(lines: Sequence[str]) -> None:
    """Sends the warnings of loading to the logger."""
    for line in lines[:_MANY]:
        logger.warning('%s', line)
    if len(lines) > _MANY:
        logger.warning('%d more warnings: Simulation.diagnostics has all', len(lines) - _MANY)
