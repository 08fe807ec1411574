# SPDX-License-Identifier: Apache-2.0
"""The package with an interpreter and a NumPy of today: arrays hold what the library has."""
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
