# SPDX-License-Identifier: Apache-2.0
"""The base class of all devices of a robot."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

from ctypes import POINTER, c_char_p, c_double
from typing import Any, Dict, List, Optional, Type, Union

from .wb import TAG, Value, binds, call, declare, encoded, numbers


declare('wb_robot_get_device', TAG, c_char_p)


@binds('wb_device_')
class Device:
    """A device by its name, or by the number that the library gave it."""

    # The classes of this package by their names, which are those of nodes.
    _classes: Dict[str, Type[Device]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(f'{__package__}.'):
            Device._classes[cls.__name__] = cls

    def __init__(self, name: Union[str, int], sampling_period: Optional[int] = None) -> None:
        """Finds the device of that name, and enables it if there is a sampling period [ms]."""
        self._tag: int = (name if isinstance(name, int)
                          else call('wb_robot_get_device', encoded(name)))
        if sampling_period is not None:
            enable: Any = getattr(self, 'enable')
            enable(sampling_period)

    def getTag(self) -> int:
        """The number of the device in the library, 1 or more; 0: there is none."""
        return self._tag

    def getType(self) -> int:
        """The type of the node, as before V8; for some devices a type of their own."""
        return self.getNodeType()

    def __repr__(self) -> str:
        return f'<{type(self).__name__} {self.getName()!r}>'

    def getName(self) -> str:
        """The name of the device."""

    def getModel(self) -> str:
        """The field model of the device."""

    def getNodeType(self) -> int:
        """The type of the node, a constant of Node such as Node.GPS."""

    tag = Value(getTag)
    type = Value(getType)
    name = Value(getName)
    model = Value(getModel)
    node_type = Value(getNodeType)


class WithLookupTable(Device):
    """Rows of three numbers: physical value, reading, relative noise."""

    _table = ''  # name of the library's function

    def __init_subclass__(cls, table: str = '', **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if table:
            cls._table = table
            declare(table, POINTER(c_double), TAG)

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""
        raise NotImplementedError

    def getLookupTable(self) -> List[float]:
        """The lookup table: physical value, reading, relative noise, row by row."""
        return numbers(call(self._table, self._tag), 3 * self.getLookupTableSize())

    lookup_table = Value(getLookupTable)
