# SPDX-License-Identifier: Apache-2.0
"""What all devices of a robot share."""
from .wb import TAG, binds, c_char_p, c_double, declare, call, encoded, numbers, POINTER

declare('wb_robot_get_device', TAG, c_char_p)


@binds('wb_device_', '''
    string getName()
    string getModel()
    int getNodeType()
''')
class Device:
    """A device by its name, or by the number that the library gave it."""

    def __init__(self, name, sampling_period=None):
        self._tag = name if isinstance(name, int) else call('wb_robot_get_device', encoded(name))
        if sampling_period is not None:
            self.enable(sampling_period)

    def getTag(self):
        return self._tag

    def getType(self):  # its name before V8
        return self.getNodeType()

    def __repr__(self):
        return f'<{type(self).__name__} {self.getName()!r}>'


class WithLookupTable:
    """Rows of three numbers: physical value, reading, relative noise."""

    _table = None  # the library's function

    def __init_subclass__(cls, table=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if table:
            cls._table = table
            declare(table, POINTER(c_double), TAG)

    def getLookupTable(self):
        return numbers(call(self._table, self._tag), 3 * self.getLookupTableSize())

    lookup_table = property(lambda self: self.getLookupTable())
