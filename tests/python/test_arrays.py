# SPDX-License-Identifier: Apache-2.0
"""Arrays over the simulation's memory."""
import gc

import numpy as np
import pytest

import servosim
from conftest import WORLDS

OF_JOINTS = {'joint_positions': 'position', 'joint_velocities': 'velocity',
             'joint_efforts': 'effort', 'joint_targets': 'target',
             'joint_target_velocities': 'target_velocity', 'joint_target_torques': 'target_torque'}
OF_SOLIDS = {'solid_poses': ('pose', 7), 'solid_velocities': ('velocity', 6)}
ALL = [*OF_JOINTS, *OF_SOLIDS]


def expected(sim, name):
    if name in OF_JOINTS:
        return np.array([getattr(joint, OF_JOINTS[name]) for joint in sim.joints.values()])
    return np.array([getattr(solid, OF_SOLIDS[name][0]) for solid in sim.solids.values()])


@pytest.mark.parametrize('name', ALL)
def test_follows_the_simulation(arm, name):
    array = getattr(arm, name)
    assert array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned
    assert array.shape == ((len(arm.solids), OF_SOLIDS[name][1]) if name in OF_SOLIDS
                           else (len(arm.joints),))
    address = array.__array_interface__['data'][0]
    state = arm.save()

    def same():
        assert np.array_equal(array, expected(arm, name), equal_nan=True)
        assert getattr(arm, name) is array
        assert array.__array_interface__['data'][0] == address

    same()
    arm.joints['arm/shoulder'].target = 0.4
    same()
    start = array.copy()
    arm.step()
    arm.step(30)
    same()
    if 'target' not in name:
        assert not np.array_equal(array, start)
    arm.restore(state)
    same()
    arm.reset()
    same()
    arm.joints['arm/elbow'].set_state(0.25, 0.5)
    same()
    arm.joints['arm/elbow'].target_torque = 1.5
    same()
    pose = arm.solids['arm'].pose
    pose[2] += 0.75
    arm.solids['arm'].pose = pose
    same()


@pytest.mark.parametrize('name', ALL)
def test_cannot_be_written(arm, name):
    array = getattr(arm, name)
    with pytest.raises(ValueError):
        array[0] = 1.0
    with pytest.raises(ValueError):
        array.setflags(write=True)


def test_outlives_the_simulation():
    array = servosim.Simulation(WORLDS / 'arm.wbt').joint_positions
    gc.collect()
    junk = [np.ones(3) for _ in range(1000)]
    assert array.tolist() == [0.0, 0.0, 0.0] and len(junk) == 1000


def test_each_simulation_has_its_own(arm):
    array = arm.joint_positions
    twin = arm.clone()
    twin.joints['arm/shoulder'].target = 1.0
    twin.step(50)
    assert array[0] == 0.0 and twin.joint_positions[0] != 0.0


def test_all_targets_at_once(arm):
    arm.joint_targets = [0.5, -0.25, 0.0625]
    assert arm.joint_targets.tolist() == [0.5, -0.25, 0.0625]
    assert arm.joints['arm/elbow'].target == -0.25
    arm.joint_targets = arm.joint_targets * 0.5
    assert arm.joint_targets.tolist() == [0.25, -0.125, 0.03125]
    arm.joint_targets = np.array([1, 7, 0, 7, 0], dtype=np.float32)[::2]
    assert arm.joint_targets.tolist() == [1.0, 0.0, 0.0]
    twin = arm.clone()
    arm.joint_target_torques = np.full(3, 2.0)
    arm.step(40)
    twin.step(40)
    assert arm.state_hash() != twin.state_hash()


@pytest.mark.parametrize('bad', [
    [0.0], [[0.0, 0.0, 0.0]], 0.0, [0.0, 0.0, float('nan')], ['a', 'b', 'c'], None, [0.0, 0.0, 1j]])
def test_bad_targets_change_nothing(arm, bad):
    before = arm.state_hash()
    with pytest.raises((ValueError, TypeError)):
        arm.joint_targets = bad
    assert arm.state_hash() == before


def test_joints_without_motor_read_and_take_nan():
    sim = servosim.Simulation.from_text("""#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device [ PositionSensor { name "free" } ]
    endPoint Solid { translation 0 0 -0.3 name "a" physics Physics { density -1 mass 1.5 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device [ RotationalMotor { name "driven" } ]
    endPoint Solid { translation 0.5 0 -0.3 name "b" physics Physics { density -1 mass 1.5 } } }
] }""")
    assert np.isnan(sim.joint_targets[0]) and sim.joint_targets[1] == 0.0
    sim.joint_targets = sim.joint_targets + 0.5
    assert sim.joints['driven'].target == 0.5
    with pytest.raises(ValueError, match="'r/free' has no motor"):
        sim.joint_targets = [0.5, 0.5]
    with pytest.raises(ValueError, match="'r/free' has no motor"):
        sim.joints['free'].target = 0.5
