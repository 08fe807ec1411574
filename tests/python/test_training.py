# SPDX-License-Identifier: Apache-2.0
"""The examples that learn exit with a code that tells whether the task is solved."""
import os
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from conftest import ROOT
from servosim.tasks import CART_POLE

FOLDER = ROOT / 'examples/training'


def run(name, *arguments, **environment):
    return subprocess.run([sys.executable, '-B', FOLDER / name, *arguments], text=True,
                          capture_output=True, env={**os.environ, **environment})


@pytest.mark.parametrize('name', ['cart_pole', 'reacher', 'humanoid_stand'])
def test_a_task_is_solved_and_its_curve_drawn(name, tmp_path):
    done = run(f'{name}.py', tmp_path / 'curve.svg')
    assert done.returncode == 0 and 'solved from' in done.stdout, done.stdout + done.stderr
    picture = xml.etree.ElementTree.parse(tmp_path / 'curve.svg').getroot()
    lines = picture.findall('{http://www.w3.org/2000/svg}polyline')
    heights = [float(point.split(',')[1]) for point in lines[0].get('points').split()]
    assert len(heights) > 2 and heights[-1] < heights[0]  # the curve rises: y points down


@pytest.mark.parametrize('name, environment', [
    ('supervisor.py', {'SERVOSIM_WORLD': str(CART_POLE.world)}),
    ('batch.py', {}),
])
def test_a_supervisor_and_a_batch_both_solve_the_cart_pole(name, environment):
    done = run(name, **environment)
    assert done.returncode == 0 and done.stdout.endswith('solved\n'), done.stdout + done.stderr
