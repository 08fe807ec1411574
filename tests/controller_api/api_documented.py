# SPDX-License-Identifier: Apache-2.0
"""Every public name of the package `controller` has a docstring and complete type hints."""
import ast
import inspect
import pathlib
import sys
import typing

import controller

errors = []
counts = {'classes': 0, 'methods': 0, 'properties': 0}


def check_docstring(name, text):
    if not text or not text.strip():
        errors.append(f'{name} has no docstring')
    elif not text.strip().splitlines()[0].endswith('.'):
        errors.append(f'{name}: the first line of its docstring is no sentence: {text!r}')


def check_hints(name, function):
    """Checks that every parameter and the result have a type whose names exist."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name in ('self', 'cls'):
        del parameters[0]
    for parameter in parameters:
        if parameter.annotation is parameter.empty:
            errors.append(f'{name}: {parameter.name} has no type')
    if 'return' not in function.__annotations__:
        errors.append(f'{name}: its result has no type')
    names = {**vars(controller), **vars(sys.modules[function.__module__])}
    try:
        typing.get_type_hints(function, names)
    except Exception as error:
        errors.append(f'{name}: {error}')


def check_class(kind):
    counts['classes'] += 1
    check_docstring(kind.__name__, kind.__doc__)
    for name, member in vars(kind).items():
        if name.startswith('_') and name != '__init__':
            continue
        full = f'{kind.__name__}.{name}'
        if isinstance(member, staticmethod):
            member = member.__func__
        if inspect.isfunction(member):
            counts['methods'] += 1
            check_docstring(full, member.__doc__)
            check_hints(full, member)
        elif inspect.isdatadescriptor(member) or isinstance(member, controller.wb.Getter):
            if type(member).__module__ == '_ctypes':  # a field of a structure
                if name not in kind.__annotations__:
                    errors.append(f'{full} has no type')
                continue
            counts['properties'] += 1
            check_docstring(full, member.__doc__)
            check_hints(full, getattr(member, 'fget', None) or member.method)


def check_source(path):
    """Checks the public names of a file, even those that `controller` does not export."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    check_docstring(path.name, ast.get_docstring(tree))
    typed_only = [node for statement in tree.body if isinstance(statement, ast.If)
                  for node in ast.walk(statement)]
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith('_'):
            continue
        if node in typed_only or any(getattr(d, 'id', '') == 'overload'
                                     for d in node.decorator_list):
            continue
        if any(isinstance(d, ast.Attribute) and d.attr == 'setter' for d in node.decorator_list):
            continue
        inner = [f for outer in ast.walk(tree) if isinstance(outer, ast.FunctionDef)
                 for f in ast.walk(outer) if f is not outer]
        if node not in inner:
            check_docstring(f'{path.name}:{node.lineno}: {node.name}', ast.get_docstring(node))


for public in controller.__all__:
    check_class(getattr(controller, public))
folder = pathlib.Path(controller.__file__).parent
for source in sorted(folder.glob('*.py')):
    check_source(source)
if not (folder / 'py.typed').exists():
    errors.append('there is no py.typed')
print(counts, *errors, sep='\n')
sys.exit(1 if errors or counts['methods'] < 500 or counts['properties'] < 200 else 0)
