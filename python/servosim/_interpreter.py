# SPDX-License-Identifier: Apache-2.0
"""The package works in one interpreter of a process, since pybind11 and numpy share data in the
process.
"""


def refuse_subinterpreters() -> None:
    """Raises ImportError in an interpreter that is not the main one."""
    try:
        import ctypes
        present, main = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main
    except (ImportError, AttributeError):  # from Python 3.12 on the import is refused anyway
        return
    present.restype = main.restype = ctypes.c_void_p
    if present() != main():
        raise ImportError('servosim works in the main interpreter alone, not in a subinterpreter: use '
                          'threads or processes')
