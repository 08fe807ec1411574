# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package servosim share."""
import pathlib

import pytest

import servosim

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORLDS = ROOT / 'worlds'


@pytest.fixture
def arm():
    return servosim.Simulation(WORLDS / 'arm.wbt', seed=7)


@pytest.fixture
def pendulum():
    return servosim.Simulation(WORLDS / 'pendulum.wbt', seed=7)
