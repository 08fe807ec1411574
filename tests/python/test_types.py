# SPDX-License-Identifier: Apache-2.0
"""Type hints, docstrings, the examples, and the package controller."""
import ast
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import controller
import servosim
from conftest import ROOT

FOLDER = pathlib.Path(servosim.__file__).parent
SPECIAL = ('__getitem__', '__setitem__', '__len__', '__iter__', '__contains__')


def public(cls):
    return {name: value for name, value in vars(cls).items()
            if not name.startswith('_') or name in SPECIAL}


def compiled():
    return [value for value in vars(servosim).values()
            if inspect.isclass(value) and value.__module__ == 'servosim._servosim']


def test_everything_has_a_docstring():
    assert servosim.__doc__ and len(compiled()) > 10
    for cls in compiled():
        assert cls.__doc__, cls
        for name, value in public(cls).items():
            if not name.startswith('__'):
                assert value.__doc__ and not re.fullmatch(r'\S+\(.*\) -> .*\s*', value.__doc__), \
                    f'{cls.__name__}.{name}'


def test_stubs_are_of_what_there_is():
    tree = ast.parse((FOLDER / '_servosim.pyi').read_text())
    stubs = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for cls in compiled():
        body = stubs[cls.__name__].body
        written = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        written |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
        names = set(public(cls))
        assert names <= written, f'{cls.__name__}: the stub lacks {names - written}'
        extra = {name for name in written if not hasattr(cls, name)}
        assert not extra, f'{cls.__name__}: the stub has {extra}'


def test_both_packages_are_typed():
    for package in (servosim, controller):
        assert (pathlib.Path(package.__file__).parent / 'py.typed').exists()


@pytest.mark.skipif(not importlib.util.find_spec('mypy'), reason='there is no mypy')
def test_the_examples_are_typed():
    examples = [ROOT / 'examples/look_ahead.py', *(ROOT / 'examples/training').glob('*.py')]
    assert len(examples) > 5
    done = subprocess.run(
        [sys.executable, '-m', 'mypy', '--strict', '--cache-dir=/dev/null', '--config-file=',
         f'--python-executable={sys.executable}', *examples], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not importlib.util.find_spec('mypy'), reason='there is no mypy')
def test_servos_are_typed(tmp_path):
    (tmp_path / 'servos.py').write_text(
        'import servosim\n'
        'def heat(joint: servosim.Joint) -> float:\n'
        '    servo = joint.servo\n'
        '    if servo is None:\n'
        '        return 0.0\n'
        '    name: str = servo.model\n'
        '    print(name, servo.is_shut_down)\n'
        '    return servo.current * servo.voltage * servo.duty + servo.temperature\n')
    (tmp_path / 'wrong.py').write_text(
        'import servosim\n'
        'def duty(joint: servosim.Joint) -> float:\n'
        '    return joint.servo.duty\n')
    for name, code in (('servos.py', 0), ('wrong.py', 1)):
        done = subprocess.run(
            [sys.executable, '-m', 'mypy', '--strict', '--cache-dir=/dev/null', '--config-file=',
             f'--python-executable={sys.executable}', tmp_path / name], text=True, capture_output=True)
        assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.skipif(not importlib.util.find_spec('mypy'), reason='there is no mypy')
def test_pictures_are_typed(tmp_path):
    (tmp_path / 'pictures.py').write_text(
        'from typing import Optional, Sequence\n'
        'import numpy as np\n'
        'import servosim\n'
        'from numpy.typing import NDArray\n'
        'def reddest(sensor: servosim.PictureSensor) -> int:\n'
        '    picture: NDArray[np.uint8] = sensor.rgb\n'
        '    return int(picture[..., 0].max())\n'
        'def nearest(batch: servosim.Batch, actions: NDArray[np.float64]) -> float:\n'
        '    rows: NDArray[np.float64] = batch.rollout(actions)\n'
        "    rows, pictures = batch.rollout(actions, None, pictures=['finder.depth'])\n"
        "    return float(pictures['finder.depth'].min() - batch.pictures['finder.depth'].min())\n"
        'def rolled(batch: servosim.Batch, actions: NDArray[np.float64],\n'
        '           names: Optional[Sequence[str]]) -> NDArray[np.float64]:\n'
        '    result = batch.rollout(actions, pictures=names)\n'
        '    return result[0] if isinstance(result, tuple) else result\n')
    (tmp_path / 'wrong.py').write_text(
        'import servosim\n'
        'def red(sensor: servosim.PictureSensor) -> int:\n'
        '    return sensor.rgb\n')
    for name, code in (('pictures.py', 0), ('wrong.py', 1)):
        done = subprocess.run(
            [sys.executable, '-m', 'mypy', '--strict', '--cache-dir=/dev/null', '--config-file=',
             f'--python-executable={sys.executable}', tmp_path / name], text=True, capture_output=True)
        assert done.returncode == code, done.stdout + done.stderr


def test_the_example_runs():
    done = subprocess.run([sys.executable, ROOT / 'examples/look_ahead.py',
                           ROOT / 'worlds/pendulum.wbt'], text=True, capture_output=True)
    assert done.returncode == 0 and 'up after' in done.stdout, done.stdout + done.stderr


def run_controller(code, world):
    environment = {**os.environ, 'SERVOSIM_WORLD': str(world)}
    environment.pop('WEBOTS_HOME', None)
    return subprocess.run([sys.executable, '-c', code], text=True, capture_output=True,
                          env=environment)


def test_the_package_controller_comes_along():
    assert pathlib.Path(controller.__file__).parent == FOLDER.parent / 'controller'
    done = run_controller('import controller\n'
                          'robot = controller.Robot()\n'
                          'motor = robot.getDevice("shoulder")\n'
                          'motor.setPosition(0.25)\n'
                          'while robot.step(8) != -1 and robot.getTime() < 1.0: pass\n'
                          'print(motor.getTargetPosition(), robot, motor)\n', ROOT / 'worlds/arm.wbt')
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "0.25 <Robot 'arm'> <Motor 'shoulder'>\n"


def test_a_robot_of_a_bad_world_raises(tmp_path):
    (tmp_path / 'bad.wbt').write_text('#VRML_SIM R2023b utf8\nWorldInfo {\n basicTimeStep ]\n}\n')
    done = run_controller('import controller\n'
                          'try:\n'
                          '    controller.Robot()\n'
                          'except controller.WorldError as error:\n'
                          '    print("raised", ":3:" in str(error))\n', tmp_path / 'bad.wbt')
    assert done.stdout == 'raised True\n', done.stdout + done.stderr
