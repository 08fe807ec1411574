# SPDX-License-Identifier: Apache-2.0
"""The package with an interpreter and a NumPy of today: arrays have the values of the library."""
import subprocess
import sys

import numpy as np

import servosim
from conftest import WORLDS


def test_arrays_are_those_of_the_simulation():
    sim = servosim.Simulation(WORLDS / 'arm.wbt', seed=7)
    sim.joints['arm/shoulder'].target = 0.5
    sim.step(100)
    positions = [sim.joints[name].position for name in sim.joints]
    assert len(set(positions)) == len(positions) > 2
    assert sim.joint_positions.tolist() == positions


def test_arrays_of_a_batch_have_a_row_for_each_instance():
    batch = servosim.Batch(WORLDS / 'arm.wbt', 3, seed=5, dtype=np.float32)
    batch.bind(observe=['arm/shoulder.position', 'arm/elbow.position'],
               act=['arm/shoulder.target_position'])
    for k in range(3):
        batch.actions[k] = 0.125 * (k + 1)
    assert batch.actions.tolist() == [[0.125], [0.25], [0.375]]
    for _ in range(20):
        batch.step()
    shoulders = [row[0] for row in batch.observations.tolist()]
    assert len(set(shoulders)) == 3
    assert batch.times.tolist() == [20 * batch.control_step_ms / 1000] * 3


def test_arrays_that_numpy_reads_wrongly_are_refused():
    # This NumPy has arrays with another structure than the module expects.
    done = subprocess.run(
        [sys.executable, '-c', 'import numpy\n'
         'array = numpy.array\n'
         'numpy.array = lambda rows: array(rows)[::-1]\n'
         'import servosim'], text=True, capture_output=True)
    assert done.returncode == 1
    assert f'which makes wrong arrays of NumPy {np.__version__}: install' in done.stderr


def test_a_numpy_of_another_layout_is_refused():
    # pybind11 asks NumPy for its version to know the structures.
    done = subprocess.run(
        [sys.executable, '-c', "import numpy\nnumpy.__version__ = '2.0.1'\nimport servosim"],
        text=True, capture_output=True)
    if not servosim._servosim.knows_numpy_2:
        assert "cannot make arrays of NumPy 2.0.1: install 'numpy<2', or install pybind11 3" in done.stderr
    elif np.__version__.startswith('1.'):
        assert 'which makes wrong arrays of NumPy 2.0.1: install' in done.stderr
    else:
        assert done.returncode == 0, done.stderr
