# SPDX-License-Identifier: Apache-2.0
"""libController, and its functions as methods of classes.

A method with nothing but a docstring calls the function of its name: `getMaxForce()` of a class
under the prefix `wb_motor_` is `wb_motor_get_max_force()`, with the types of its annotations. The
function is looked up at its first call.
"""
from __future__ import annotations

import ctypes
import math
import os
import re
import sys
import threading
from ctypes import POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_ubyte, c_ushort, c_void_p
from typing import (TYPE_CHECKING, Any, Callable, Dict, Generic, Iterator, List, NoReturn, Optional,
                    Sequence, Tuple, Type, TypeVar, Union, overload)

from . import errors

T = TypeVar('T')
V = TypeVar('V')
Class = TypeVar('Class', bound=type)

# What methods return and take: this many numbers.
Floats2 = List[float]
Floats3 = List[float]
Floats4 = List[float]
Floats6 = List[float]
Floats9 = List[float]
Numbers2 = Sequence[float]
Numbers3 = Sequence[float]
Numbers4 = Sequence[float]
Numbers6 = Sequence[float]


_HERE = os.path.dirname(os.path.abspath(__file__))


def _candidates() -> Iterator[str]:
    # The library that came with this file is tried first: WEBOTS_HOME may name an installation of
    # Webots.
    yield os.path.normpath(os.path.join(_HERE, '..', '..', 'libController.so'))
    in_wheel = ('servosim', '_lib', 'servosim', 'lib', 'controller', 'libController.so')
    yield os.path.normpath(os.path.join(_HERE, '..', *in_wheel))
    home = os.environ.get('WEBOTS_HOME')
    if home:
        yield os.path.join(home, 'lib', 'controller', 'libController.so')
    yield 'libController.so'  # found by the folders of LD_LIBRARY_PATH


def _load() -> ctypes.CDLL:
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError('libController.so cannot be loaded; WEBOTS_HOME should name the folder '
                      'lib/servosim of an installation:\n  ' + '\n  '.join(reasons))


wb = _load()

TAG = c_ushort  # WbDeviceTag
HANDLE = c_void_p  # WbNodeRef and the like


# Keyed by thread: kind and reason of an ending of the library, until the thread raises it.
endings: Dict[int, Tuple[int, str]] = {}


def _take_ending(kind: int, why: Optional[bytes]) -> None:
    endings[threading.get_ident()] = kind, decoded(why)


_report_ending = ctypes.CFUNCTYPE(None, c_int, c_char_p)(_take_ending)


def raise_ending() -> None:
    """Raises the ending of the call that this thread has made, if there is one."""
    ending = endings.pop(threading.get_ident(), None)
    if ending is not None:
        raise errors.made(*ending)


# The library of Webots does not have it and ends the process.
if hasattr(wb, 'servosim_report_endings'):
    wb.servosim_report_endings.restype = None
    wb.servosim_report_endings(_report_ending)


def _parameter(annotation: str) -> Tuple[Any, str]:
    """How ctypes gets a parameter, and code that prepares a value for it."""
    sized = re.fullmatch(r'Numbers(\d)', annotation)
    if sized:
        return POINTER(c_double), f'vector({{}}, {sized.group(1)})'
    return {
        'bool': (c_bool, '{}'),
        'float': (c_double, 'float({})'),
        'int': (c_int, 'int({})'),
        'str': (c_char_p, 'encoded({})'),
        'Optional[str]': (c_char_p, 'encoded({})'),
        'Node': (HANDLE, 'handle({})'),
    }[annotation]


def _result(annotation: str) -> Tuple[Any, str]:
    """How ctypes gets a result, and code that makes a value of it."""
    sized = re.fullmatch(r'Floats(\d)', annotation)
    if sized:
        return POINTER(c_double), f'numbers({{}}, {sized.group(1)})'
    node = re.fullmatch(r'Optional\[(Node|Field|Proto)\]', annotation)
    if node:
        return HANDLE, f'object_of({node.group(1)!r}, {{}})'
    return {
        'Optional[Motor]': (TAG, 'device_of({})'),
        'Optional[Brake]': (TAG, 'device_of({})'),
        'Optional[PositionSensor]': (TAG, 'device_of({})'),
        'bool': (c_bool, '{}'),
        'float': (c_double, '{}'),
        'int': (c_int, '{}'),
        'None': (None, '{}'),
        'str': (c_char_p, 'decoded({})'),
    }[annotation]


def decoded(text: Optional[bytes]) -> str:
    """A text of the library; '' where it has none."""
    return text.decode('utf-8', 'replace') if text is not None else ''


def encoded(text: Union[str, bytes, None]) -> Optional[bytes]:
    """A text for the library."""
    return text.encode() if isinstance(text, str) else text


def numbers(pointer: Any, count: int) -> List[float]:
    """A list of numbers; not-a-numbers where the library has none."""
    found: List[float] = pointer[:count] if pointer else [math.nan] * count
    return found


_told_of_short_vectors = False


def _tell_of_short_vector(count: int, wanted: int) -> None:
    """Reports once that a vector is too short, with the line of the program."""
    global _told_of_short_vectors
    if _told_of_short_vectors:
        return
    _told_of_short_vectors = True
    frame = sys._getframe(2)
    method = frame.f_code.co_name
    while frame.f_back and frame.f_code.co_filename.startswith(('<functions', _HERE + os.sep)):
        frame = frame.f_back
    print(f'Warning: {frame.f_code.co_filename}:{frame.f_lineno}: {method}() wants {wanted} '
          f'numbers, not {count}; 0 is taken for those that are missing, as in Webots (said once)',
          file=sys.stderr, flush=True)


def vector(values: Sequence[float], count: int) -> Any:
    """This many numbers for the library. Missing ones are 0, as in Webots' package.

    Raises IndexError if there are more.
    """
    if len(values) > count:
        raise IndexError(f'{count} numbers are wanted, not {len(values)}')
    if len(values) < count:
        _tell_of_short_vector(len(values), count)
    return (c_double * count)(*values)


def handle(node: Optional[Handle]) -> Optional[int]:
    """The pointer of the library for a node."""
    return None if node is None else node._ref


classes: Dict[str, Type[Handle]] = {}  # keyed by name; those that have a handle
_objects: Dict[Tuple[str, int], Handle] = {}


def object_of(class_name: str, ref: Optional[int]) -> Any:
    """The object for a handle, always the same one; None for none."""
    if ref is None:
        return None
    key = (class_name, ref)
    found = _objects.get(key)
    if found is None:
        found = _objects[key] = classes[class_name](ref)
    return found


def device_of(tag: int) -> Any:
    """The device with that number; the module of Robot replaces this function."""
    raise RuntimeError('there is no Robot object')


# The global names of the methods' code. A function of the library is here under its name.
functions: Dict[str, Any] = {name: globals()[name] for name in (
    'decoded', 'encoded', 'endings', 'handle', 'numbers', 'object_of', 'raise_ending', 'vector')}
functions['device_of'] = lambda tag: device_of(tag)


# Result and parameters of each declared function.
signatures: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {}


def declare(name: str, result: Any, *parameters: Any) -> None:
    """Declares a function of the library, which is then `functions[name]`."""
    if name in signatures:
        return
    signatures[name] = result, parameters

    def at_first(*values: Any) -> Any:
        function = getattr(wb, name, None)
        if function is None:
            raise NotImplementedError(f'{name}() is not in {wb._name}')
        function.restype, function.argtypes = signatures[name]
        functions[name] = function
        return function(*values)

    functions[name] = at_first


def call(name: str, *values: Any) -> Any:
    """Calls a declared function."""
    result = functions[name](*values)
    if endings:
        raise_ending()
    return result


def snake(name: str) -> str:
    """'getSFVec3f' is 'get_sf_vec3f'."""
    name = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name)
    name = re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', name).lower()
    return re.sub(r'^(enable|disable|is)3d', r'\g<1>_3d', name)


if TYPE_CHECKING:
    class Getter(Generic[T]):
        """A property that a derived class may replace by a value."""

        method: Callable[[Any], T]

        def __init__(self, method: Callable[[Any], T]) -> None: ...

        @overload
        def __get__(self, instance: None, owner: type) -> Getter[T]: ...

        @overload
        def __get__(self, instance: object, owner: type) -> T: ...

        def __get__(self, instance: Optional[object], owner: type) -> Any: ...

    class Value(Getter[T]):
        """A property to be read."""

        def __set__(self, instance: object, value: NoReturn) -> None: ...

    class Setting(Getter[T], Generic[T, V]):
        """A property to be read and set."""

        def __init__(self, get: Callable[[Any], T], set: Callable[[Any, V], object]) -> None: ...

        def __set__(self, instance: object, value: V) -> None: ...
else:
    class Getter:
        """A property that a derived class may replace by assigning a value to its name.

        Programs derive from Robot, often with attributes of the same names.
        """

        def __init__(self, method):
            self.method = method
            self.__doc__ = method.__doc__

        def __get__(self, instance, owner=None):
            return self if instance is None else self.method(instance)

    class Value(property):
        """A property to be read, by a method."""

    class Setting(property):
        """A property to be read and set, by two methods."""


def _docstring_only() -> None:
    """Marks that a method has the code of a function of the library."""


def _is_bound(member: Any) -> bool:
    code = getattr(member, '__code__', None)
    return code is not None and code.co_code == _docstring_only.__code__.co_code


def _method(c_name: str, method: Any, own: Optional[Tuple[Any, str]]) -> str:
    """Python code of one method, and its declaration."""
    declared, arguments = ([own[0]], [own[1]]) if own else ([], [])
    names = method.__code__.co_varnames[:method.__code__.co_argcount]
    for name in names:
        if name != 'self':
            declaration, ready = _parameter(method.__annotations__[name])
            declared.append(declaration)
            arguments.append(ready.format(name))
    declaration, made = _result(method.__annotations__['return'])
    declare(c_name, declaration, *declared)
    return (f'def {method.__name__}({", ".join(names)}):\n'
            f'    result = {c_name}({", ".join(arguments)})\n'
            f'    if endings: raise_ending()\n'
            f'    return {made.format("result")}\n')


def _rebound(member: Any, methods: Dict[str, Any]) -> Any:
    """A property over the methods that have replaced its own."""
    def new(method: Any) -> Any:
        return method and methods.get(method.__name__, method)

    if isinstance(member, Getter):
        return Getter(new(member.method))
    return type(member)(new(member.fget), new(member.fset))


def binds(prefix: str, own: Optional[Tuple[Any, str]] = (TAG, 'self._tag'),
          names: Optional[Dict[str, str]] = None) -> Callable[[Class], Class]:
    """Makes a class whose methods without code call the library, by `prefix` or by their `names` in C.

    `own` says how the library gets the object: a type of ctypes, and an expression.
    """
    c_names = names or {}

    def bind(made: Class) -> Class:
        members = {}  # methods without code
        codes = []
        for name, member in vars(made).items():
            static = isinstance(member, staticmethod)
            method = member.__func__ if static else member
            if _is_bound(method):
                members[name] = member
                c_name = c_names.get(name) or prefix + snake(name)
                codes.append(_method(c_name, method, None if static else own))
        scope: Dict[str, Any] = {}
        exec(compile(''.join(codes), f'<functions {prefix}*>', 'exec'), functions, scope)
        for name, member in members.items():
            static = isinstance(member, staticmethod)
            empty = member.__func__ if static else member
            for attribute in ('__annotations__', '__defaults__', '__doc__', '__module__',
                              '__qualname__'):
                setattr(scope[name], attribute, getattr(empty, attribute))
            setattr(made, name, staticmethod(scope[name]) if static else scope[name])
        for name, member in list(vars(made).items()):
            if isinstance(member, (Getter, Setting, Value)):
                setattr(made, name, _rebound(member, scope))
        return made

    return bind


OWN_HANDLE = (HANDLE, 'self._ref')


class Handle:
    """An object for which the library has a pointer."""

    def __init__(self, ref: int) -> None:
        self._ref = ref

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        classes.setdefault(cls.__name__, cls)


FLOATS = POINTER(c_float)
BYTES = POINTER(c_ubyte)
