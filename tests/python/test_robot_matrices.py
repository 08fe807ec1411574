# SPDX-License-Identifier: Apache-2.0
"""Robots in the coordinates of their joints, and robots' own files; tests/sim and tests/robots have the numbers."""
import numpy as np
import pytest

import servosim

POLE = '''<robot name="pole">
<link name="base"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>'''


@pytest.fixture
def pole(tmp_path):
    path = tmp_path / 'pole.urdf'
    path.write_text(POLE)
    return path


def test_a_rod_on_a_hinge(pole):
    sim = servosim.Simulation(pole, fixed_base=True)
    assert sim.coordinates() == sim.coordinates('pole') == list(sim.joints)
    matrix = sim.mass_matrix()
    assert matrix.shape == (1, 1) and matrix[0, 0] == pytest.approx(0.1 + 2 * 0.5**2)
    assert sim.gravity_torques() == pytest.approx([-2 * 9.81 * 0.5])
    for name in 'pole/rod', 'rod':
        assert sim.jacobian(name, (0.5, 0, 0)) == pytest.approx(np.array([[0, 0, -0.5, 0, 1, 0]]).T)


def test_what_is_around_a_robot(pole):
    free = servosim.Simulation(pole, floor=False)
    assert free.coordinates()[:3] == ['base x', 'base y', 'base z'] and free.mass_matrix().shape == (7, 7)
    height = free.solid_poses[0, 2]
    free.step(50)
    assert free.solid_poses[0, 2] < height - 0.5 * 9.81 * (free.time - free.time_step)**2
    assert len(servosim.Simulation(pole).solids) == len(free.solids) + 1  # the floor


def test_wrong_names(arm):
    for call in (arm.coordinates, arm.mass_matrix, arm.gravity_torques):
        with pytest.raises(servosim.UnknownName, match="no robot is called 'leg'"):
            call('leg')
    with pytest.raises(servosim.UnknownName, match="no Solid is called 'leg'"):
        arm.jacobian('leg')
    empty = servosim.Simulation.from_text('#VRML_SIM R2025a utf8\nWorldInfo { }\n')
    with pytest.raises(KeyError, match='there is no robot'):
        empty.mass_matrix()
