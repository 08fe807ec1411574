# SPDX-License-Identifier: Apache-2.0
"""libController, and its functions as methods of classes.

A table of signatures becomes the methods of a class: `double getMaxForce()` under the prefix
`wb_motor_` is a method that calls `wb_motor_get_max_force`. Each getter and setter is a property
too: `max_force`. A function is looked up when it is first called.
"""
import ctypes
import keyword
import math
import os
import re
from ctypes import POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_ubyte, c_ushort, c_void_p


def _candidates():
    # First the one that came with this file: WEBOTS_HOME may name an installation of Webots.
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.normpath(os.path.join(here, '..', '..', 'libController.so'))
    home = os.environ.get('WEBOTS_HOME')
    if home:
        yield os.path.join(home, 'lib', 'controller', 'libController.so')
    yield 'libController.so'  # the folders of LD_LIBRARY_PATH


def _load():
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


def _parameter(type_name):
    """How a parameter is declared to ctypes, and how a value is made ready for it."""
    sized = re.fullmatch(r'double\[(\d+)\]', type_name)
    if sized:
        count = int(sized.group(1))
        return POINTER(c_double), lambda name: f'vector({name}, {count})'
    return {
        'bool': (c_bool, lambda name: name),
        'double': (c_double, lambda name: f'float({name})'),
        'int': (c_int, lambda name: f'int({name})'),
        'string': (c_char_p, lambda name: f'encoded({name})'),
        'Node': (HANDLE, lambda name: f'handle({name})'),
    }[type_name]


def _result(type_name):
    """How a result is declared to ctypes, and the code that makes a value of it."""
    sized = re.fullmatch(r'double\[(\d+)\]', type_name)
    if sized:
        return POINTER(c_double), f'numbers({{}}, {sized.group(1)})'
    if type_name in ('Node', 'Field', 'Proto'):
        return HANDLE, f'object_of({type_name!r}, {{}})'
    if type_name in ('Motor', 'Brake', 'PositionSensor'):
        return TAG, 'device_of({})'
    return {
        'bool': (c_bool, '{}'),
        'double': (c_double, '{}'),
        'int': (c_int, '{}'),
        'void': (None, '{}'),
        'string': (c_char_p, 'decoded({})'),
    }[type_name]


def decoded(text):
    """A text of the library; '' where it has none."""
    return text.decode('utf-8', 'replace') if text is not None else ''


def encoded(text):
    return text.encode() if isinstance(text, str) else text


def numbers(pointer, count):
    """A list of numbers; not-a-numbers where the library has none."""
    return pointer[:count] if pointer else [math.nan] * count


def vector(values, count):
    if len(values) != count:
        raise ValueError(f'{count} numbers are wanted, not {len(values)}')
    return (c_double * count)(*values)


def handle(node):
    return None if node is None else node._ref


classes = {}  # by name, of what has a handle
_objects = {}


def object_of(class_name, ref):
    """The object of a handle, always the same one; None for none."""
    if ref is None:
        return None
    key = (class_name, ref)
    found = _objects.get(key)
    if found is None:
        found = _objects[key] = classes[class_name](ref)
    return found


def device_of(tag):
    """The device with that number; set by the module of Robot."""
    raise RuntimeError('there is no Robot object')


# What the methods see. A function of the library stands here by its name.
functions = {name: globals()[name] for name in (
    'decoded', 'encoded', 'numbers', 'vector', 'handle', 'object_of')}
functions['device_of'] = lambda tag: device_of(tag)


signatures = {}  # result and parameters of each declared function


def declare(name, result, *parameters):
    """Declares a function of the library; `functions[name]` is it."""
    if name in signatures:
        return
    signatures[name] = result, parameters

    def at_first(*values):
        function = getattr(wb, name, None)
        if function is None:
            raise NotImplementedError(f'{name}() is not in {wb._name}')
        function.restype, function.argtypes = signatures[name]
        functions[name] = function
        return function(*values)

    functions[name] = at_first


def call(name, *values):
    """Calls a declared function."""
    return functions[name](*values)


def snake(name):
    """'getSFVec3f' is 'get_sf_vec3f'."""
    name = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name)
    name = re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', name).lower()
    return re.sub(r'^(enable|disable|is)3d', r'\g<1>_3d', name)


_SIGNATURE = re.compile(r'(static )?(\S+) (\w+)\((.*)\)(?: =(\w+))?')


def _method(prefix, line, own):
    """Python code of one method. `own` is the handle's type and expression, or None."""
    static, result, name, parameters, c_name = _SIGNATURE.fullmatch(' '.join(line.split())).groups()
    own = None if static else own
    c_name = c_name or prefix + snake(name)
    declared, arguments, shown = [], [], [] if static else ['self']
    if own:
        declared.append(own[0])
        arguments.append(own[1])
    for parameter in filter(None, re.split(r',\s*', parameters)):
        type_name, parameter = parameter.split(' ')
        parameter_name = parameter.split('=')[0]
        assert not keyword.iskeyword(parameter_name)
        declaration, ready = _parameter(type_name)
        declared.append(declaration)
        arguments.append(ready(parameter_name))
        shown.append(parameter)
    declaration, made = _result(result)
    declare(c_name, declaration, *declared)
    value = made.format(f'{c_name}({", ".join(arguments)})')
    decorator = '@staticmethod\n' if static else ''
    return f'{decorator}def {name}({", ".join(shown)}):\n    return {value}\n'


def _setter(members, name):
    """What a property is set by: setX, or enableX of getXSamplingPeriod."""
    setter = members.get('set' + name)
    if setter is None and name.endswith('SamplingPeriod'):
        what = name[:-len('SamplingPeriod')]
        setter = members.get('enable' + what) or members.get(what[:1].lower() + what[1:] + 'Enable')
    code = getattr(setter, '__code__', None)
    return setter if code is not None and code.co_argcount == 2 else None


class Getter:
    """A property that gives way: a derived class may assign its own value to the name."""

    def __init__(self, method):
        self.method = method

    def __get__(self, instance, owner=None):
        return self if instance is None else self.method(instance)


def add_properties(made):
    """A property for each getter without parameters; `is` and `has` stay in its name.

    Programs derive from Robot, often with attributes of the same names.
    """
    members = dict(vars(made))
    free = getattr(made, 'NAMES_ARE_FREE', False)
    for name, method in members.items():
        match = re.fullmatch(r'(get|is|has)([A-Z0-9]\w*)', name)
        code = getattr(method, '__code__', None)
        if match and code is not None and code.co_argcount - len(method.__defaults__ or ()) == 1:
            what = match.group(2)
            shown = snake(what if match.group(1) == 'get' else name)
            setter = _setter(members, what)
            if shown not in members:
                setattr(made, shown, Getter(method) if free and setter is None
                        else property(method, setter))


def binds(prefix, table, own=(TAG, 'self._tag')):
    """A class with the methods of a table beside its own, and properties."""

    def bind(made):
        lines = re.split(r'\n    (?=\S)', table.strip())  # deeper lines go on
        scope = {}
        code = ''.join(_method(prefix, line, own) for line in lines)
        exec(compile(code, f'<functions {prefix}*>', 'exec'), functions, scope)
        for name, method in scope.items():
            plain = method.__func__ if isinstance(method, staticmethod) else method
            plain.__qualname__ = f'{made.__name__}.{name}'
            if name not in vars(made):
                setattr(made, name, method)
        add_properties(made)
        return made

    return bind


OWN_HANDLE = (HANDLE, 'self._ref')


class Handle:
    """An object that the library has a pointer for."""

    def __init__(self, ref):
        self._ref = ref

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        classes.setdefault(cls.__name__, cls)


FLOATS = POINTER(c_float)
BYTES = POINTER(c_ubyte)
