# SPDX-License-Identifier: Apache-2.0
"""api_names.py SOURCES: each function of the C API is a method in C++ and in Python, too."""
import pathlib
import re
import sys

import controller

SOURCES = pathlib.Path(sys.argv[1])
CLASSES = {'gps': 'GPS', 'led': 'LED'}
# Webots' classes do not have these either, or have them by another name.
OTHERWISE = {
    'wb_camera_recognition_(enable|disable)_segmentation': r'\1RecognitionSegmentation',
    'wb_camera_recognition_(is)_segmentation_enabled': 'isRecognitionSegmentationEnabled',
    'wb_camera_recognition_(has)_segmentation': 'hasRecognitionSegmentation',
    'wb_camera_recognition_save_segmentation_image': 'saveRecognitionSegmentationImage',
    'wb_camera_recognition_get_object': 'getRecognitionObjects',
    'wb_lidar_get_point': 'getPointCloud',
    'wb_motor_set_control_pid': 'setControlPID',
    'wb_mouse_get_state_pointer': 'getState',
    'wb_radar_get_target': 'getTargets',
    'wb_supervisor_node_(enable|disable)_contact_point_tracking': r'\1ContactPointsTracking',
    'wb_supervisor_field_(enable|disable)_sf_tracking': r'\1SFTracking',
    'wb_supervisor_node_get_name': None,
    'wb_supervisor_node_get_(root|self|from_id|from_device|from_def|selected)': None,
    'wb_robot_(init.*|cleanup|task_new|mutex_.*|get_step_duration)': None,
    'wb_robot_wwi_(send|receive)': r'wwi_\1_text',
}
ON_SUPERVISOR = {'root', 'self', 'from_id', 'from_device', 'from_def', 'selected'}
NO_CLASS = {'console', 'microphone', 'nodes', 'radio', 'remote_control', 'types'}


def camel(name):
    name = re.sub(r'_(sf|mf)(_|$)', lambda m: f'_{m.group(1).upper()}{m.group(2)}', name)
    return re.sub(r'_(\w)', lambda m: m.group(1).upper(), name)


def wanted(function, prefix):
    """Returns class and method of a function, or None if it has none."""
    if prefix == 'supervisor':
        kind = re.match(r'wb_supervisor_(node|field|proto)_', function)
        if kind:
            prefix = f'supervisor_{kind.group(1)}'
    owner = CLASSES.get(prefix, ''.join(w.capitalize() for w in prefix.split('_')))
    owner = owner.replace('Supervisor', '', 1) or 'Supervisor'
    name = function[len(f'wb_{prefix}_'):]
    if prefix == 'supervisor_node' and name[len('get_'):] in ON_SUPERVISOR:
        return 'Supervisor', {'from_def': 'getFromDef'}.get(name[4:], camel(name))
    for pattern, method in OTHERWISE.items():
        match = re.fullmatch(pattern, function)
        if match:
            return method and (owner, camel(match.expand(method)))
    if function.startswith('wb_camera_recognition_get'):
        name = name.replace('recognition_get', 'get_recognition')
    return owner, camel(name)


def cpp_methods(name):
    text = (SOURCES / f'include/webots_cpp/webots/{name}.hpp').read_text(encoding='utf-8')
    return set(re.findall(r'\b(\w+)\(', text))


checked, missing = 0, []
for header in sorted((SOURCES / 'include/webots').glob('*.h')):
    prefix = header.stem
    if prefix in NO_CLASS:
        continue
    text = re.sub(r'(?s)/\*.*?\*/', '', header.read_text(encoding='utf-8'))
    text = re.sub(r'(?m)^#(\\\n|.)*', '', text)  # macros
    for function in re.findall(rf'\b(wb_{prefix}_\w+)\(', text):
        owner_and_method = wanted(function, prefix)
        if owner_and_method is None:
            continue
        owner, method = owner_and_method
        checked += 1
        if method not in cpp_methods(owner):
            missing.append(f'C++: {owner}::{method}(), {function}')
        if not hasattr(getattr(controller, owner), method):
            missing.append(f'Python: {owner}.{method}, {function}')
print(f'{checked} functions\n' + '\n'.join(missing))
sys.exit(1 if missing or checked < 400 else 0)
