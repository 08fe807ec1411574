# SPDX-License-Identifier: Apache-2.0
"""c_api_facts.py C_API.json [FILE]: shows c_api_facts.inc, or says whether FILE is that.

Functions, constants and macros of Webots' C API, as lines that c_api_facts.c checks.
"""
import json
import re
import sys

# Libraries over the C API for cars made of PROTO nodes that come with Webots.
LEFT_OUT = {'vehicle/car', 'vehicle/driver'}

SHORT = {'WbDeviceTag': 'Tag', 'WbFieldRef': 'Field', 'WbNodeRef': 'Node'}


def constants(header):
    for enum in header.get('enums', []):
        yield from enum['values']
    yield from (macro for macro in header.get('macros', []) if isinstance(macro.get('value'), int))


def facts(api):
    headers = [h for name, h in api['headers'].items() if name not in LEFT_OUT]
    old = [h if isinstance(h, dict) else {'functions': h} for h in api['legacy'].values()]
    for header in headers + [h for h in old if isinstance(h.get('functions'), list)]:
        for function in header['functions']:
            if not isinstance(function, dict):
                continue
            name = function['name']
            if 'returns' in function:
                types = [SHORT.get(p['type'], p['type']) for p in function['params']] or ['void']
                yield name, f'F({function["returns"]}, {name}, {", ".join(types)})'
            else:
                yield name, f'N({name})'
        for constant in constants(header):
            yield constant['name'], f'V({constant["name"]}, {constant["value"]})'
        for macro in header.get('macros', []):
            if 'macro_args' in macro and not re.fullmatch('wb_robot_(init|step)', macro['name']):
                yield macro['name'], f'M({macro["name"]}, {macro["macro_args"]})'


def filled(items):
    line = ''
    for item in items:
        if line and len(line) + 1 + len(item) > 100:
            yield line
            line = ''
        line += ' ' + item if line else item
    yield line


def text_of(api):
    known = {}
    for name, line in facts(api):
        known.setdefault(name, line)
    return '\n'.join(['// SPDX-License-Identifier: Apache-2.0', '// Made by c_api_facts.py.',
                      *filled(known.values())]) + '\n'


with open(sys.argv[1], encoding='utf-8') as file:
    made = text_of(json.load(file))
if len(sys.argv) == 2:
    sys.stdout.write(made)
else:
    with open(sys.argv[2], encoding='utf-8') as file:
        sys.exit(None if file.read() == made else f'{sys.argv[2]} is to be made anew')
