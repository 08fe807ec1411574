# SPDX-License-Identifier: Apache-2.0
"""Joints, Solids and sensors by name."""
import collections.abc
import gc
import math

import numpy as np
import pytest

import servosim
from conftest import ROOT, WORLDS


@pytest.mark.parametrize('kind, world', [
    ('joints', 'worlds/arm.wbt'), ('solids', 'tests/worlds/api_sensors.wbt'),
    ('sensors', 'tests/worlds/api_sensors.wbt')])
def test_mappings(kind, world):
    sim = servosim.Simulation(ROOT / world)
    mapping = getattr(sim, kind)
    assert isinstance(mapping, collections.abc.Mapping)
    names = list(mapping)
    assert len(names) == len(mapping) == len(set(names)) > 0
    assert mapping.keys() == names
    assert [element.name for element in mapping.values()] == names
    assert [name for name, _ in mapping.items()] == names
    assert mapping[names[-1]].name == mapping[-1].name == names[-1]
    assert names[0] in mapping and 'nobody' not in mapping and 3.5 not in mapping
    assert mapping.get('nobody') is None and mapping.get('nobody', 7) == 7
    assert mapping.get(names[0]).name == names[0]
    for bad in (len(names), -len(names) - 1, 2**80, -2**80):
        with pytest.raises(IndexError, match=f'there are {len(names)}, so no number {bad}$'):
            mapping[bad]
    with pytest.raises(TypeError):
        mapping[None]


def test_unknown_names_show_near_ones(arm):
    with pytest.raises(KeyError) as caught:
        arm.joints['arm/sholder']
    error = caught.value
    assert isinstance(error, servosim.UnknownName)
    assert error.nearest[0] == 'arm/shoulder' and error.names == list(arm.joints)
    assert "did you mean 'arm/shoulder'" in str(error) and 'arm/elbow' in str(error)
    with pytest.raises(KeyError, match='no sensor is called'):
        arm.sensors['elbw sensor']
    with pytest.raises(KeyError, match='no Solid'):
        arm.solids['']


def test_parts_of_names(arm):
    assert arm.joints['shoulder'].name == 'arm/shoulder'
    two = servosim.Simulation.from_text('#VRML_SIM R2023b utf8\nWorldInfo { }\n' + ''.join(
        f'''Robot {{ name "{name}" children [ HingeJoint {{
        device [ RotationalMotor {{ name "j" }} ]
        endPoint Solid {{ name "s" physics Physics {{ density -1 mass 2 }} }} }} ] }}
        ''' for name in 'ab'))
    assert two.joints['b/j'].index == 1
    with pytest.raises(KeyError, match='several joints'):
        two.joints['j']


def test_joint_reads_and_commands(arm):
    joint = arm.joints['arm/shoulder']
    assert (joint.index, joint.type, joint.exists, joint.has_motor) == (0, 'rotational', True, True)
    joint.target = 0.5
    arm.step(400)
    assert joint.target == 0.5 and joint.position == pytest.approx(0.5, abs=0.1)
    assert joint.effort != 0.0 and abs(joint.velocity) < 0.1
    joint.target = math.inf
    joint.target_velocity = -1.25
    arm.step(20)
    assert joint.velocity == pytest.approx(-1.25, abs=0.2)
    assert math.isnan(joint.target_torque)
    joint.target_torque = 3.5
    assert joint.target_torque == joint.target_force == 3.5
    joint.available_torque = 12.0
    assert joint.available_force == 12.0
    joint.acceleration = 6.0
    joint.pid = (8, 0.5, 0.25)
    assert joint.acceleration == 6.0 and joint.pid == [8.0, 0.5, 0.25]
    assert arm.joints[2].type == 'linear'


@pytest.mark.parametrize('attribute', [
    'target', 'target_velocity', 'target_torque', 'available_torque', 'acceleration', 'max_torque',
    'max_velocity', 'min_position', 'max_position'])
def test_joint_refuses_nan_and_texts(arm, attribute):
    joint = arm.joints['arm/elbow']
    before = getattr(joint, attribute)
    hash_before = arm.state_hash()
    with pytest.raises(ValueError):
        setattr(joint, attribute, math.nan)
    with pytest.raises(TypeError):
        setattr(joint, attribute, 'fast')
    assert np.array_equal(getattr(joint, attribute), before, equal_nan=True)
    assert arm.state_hash() == hash_before
    with pytest.raises(AttributeError):
        joint.position = 1.0


def test_limits_of_motors_are_edits_of_the_world(arm):
    joint = arm.joints['arm/shoulder']
    joint.target = 0.4
    arm.step(30)
    position, time = joint.position, arm.time
    joint.max_torque = 33.0
    joint.max_velocity = 2.5
    assert (joint.max_torque, joint.max_force, joint.max_velocity) == (33.0, 33.0, 2.5)
    assert (joint.position, arm.time, joint.target) == (position, time, 0.4)
    joint.max_position = 1.25
    joint.min_position = -0.75
    assert (joint.min_position, joint.max_position) == (-0.75, 1.25)
    arm.joints[2].max_force = 77.0
    assert arm.joints[2].max_torque == 77.0
    before = arm.state_hash()
    with pytest.raises(servosim.EditError, match='maxTorque'):
        joint.max_torque = -1.0
    assert joint.max_torque == 33.0 and arm.state_hash() == before
    arm.step(100)
    assert joint.position == pytest.approx(0.4, abs=0.1)


def test_edited_states_are_restored_with_their_world(arm):
    joint = arm.joints['arm/shoulder']
    first = arm.save()
    joint.max_torque = 33.0
    arm.step(7)
    second, hash_then = arm.save(), arm.state_hash()
    twin = arm.clone()
    arm.restore(first)
    assert joint.max_torque == 40.0
    arm.restore(second)
    assert joint.max_torque == 33.0 and arm.state_hash() == hash_then
    twin.restore(first)
    assert twin.joints[0].max_torque == 40.0


def test_set_state(arm):
    arm.joints['arm/elbow'].set_state(0.5, velocity=0.25)
    assert arm.joints['arm/elbow'].position == pytest.approx(0.5)
    assert arm.joints['arm/elbow'].velocity == pytest.approx(0.25)
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError):
            arm.joints['arm/elbow'].set_state(bad)


def test_handles_keep_the_simulation():
    joint = servosim.Simulation(WORLDS / 'arm.wbt').joints['arm/elbow']
    gc.collect()
    joint.target = 0.5
    assert joint.target == 0.5


def test_solid_pose(arm):
    solid = arm.solids['arm']
    pose = np.array([0.5, -0.25, 2.0, 0.0, 0.0, math.sin(0.35), math.cos(0.35)])
    solid.pose = pose
    assert solid.pose == pytest.approx(pose)
    assert solid.position == pytest.approx(pose[:3])
    c, s = math.cos(0.7), math.sin(0.7)
    assert solid.rotation == pytest.approx(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
    for bad in ([1, 2, 3], np.zeros(7), [math.nan] + [0, 0, 0, 0, 0, 1], [0] * 6 + [2],
                [[0, 0, 0, 0, 0, 0, 1]]):
        with pytest.raises(ValueError):
            solid.pose = bad
    assert solid.pose == pytest.approx(pose)


def test_solid_forces_and_velocity(pendulum):
    rod = pendulum.solids['pendulum/rod']
    assert rod.has_body and rod.center_of_mass.shape == (3,)
    rod.add_force([4.0, 0, 0], point=[0, 0, 0.7])
    rod.add_torque((0, 0.5, 0))
    pendulum.step()
    assert rod.velocity.shape == (6,) and rod.velocity[4] != 0.0
    rod.reset_physics()
    assert not rod.velocity.any()
    rod.velocity = [0, 0, 0, 0, 0.75, 0]
    assert rod.velocity[4] == 0.75
    for bad in ([math.inf, 0, 0], [1.0], 'abc'):
        with pytest.raises((ValueError, TypeError)):
            rod.add_force(bad)
        with pytest.raises((ValueError, TypeError)):
            rod.velocity = bad


def test_contacts():
    sim = servosim.Simulation.from_text("""#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "ground" boundingObject Box { size 4 4 0.2 } }
Solid { translation 0 0 0.35 name "box" boundingObject Box { size 0.5 0.5 0.5 }
  physics Physics { density -1 mass 3 } }""")
    sim.step(20)
    points = sim.solids['box'].contact_points()
    assert len(points) >= 3
    for point, normal, name, other in points:
        assert (name, other) == ('box', 'ground')
        assert point[2] == pytest.approx(0.1, abs=0.01) and normal == pytest.approx([0, 0, 1])


def test_sensors_measure_once_enabled():
    sim = servosim.Simulation(ROOT / 'tests/worlds/api_sensors.wbt', seed=5)
    for sensor in sim.sensors.values():
        assert sensor.sampling_period == 0 and np.isnan(sensor.values).all()
        sensor.enable()
    sim.step(4)
    types = {sensor.type for sensor in sim.sensors.values()}
    assert {'Gyro', 'Accelerometer', 'GPS', 'InertialUnit'} <= types
    for sensor in sim.sensors.values():
        if sensor.type == 'InertialUnit':
            assert sensor.value.shape == (7,)
            assert np.linalg.norm(sensor.value[3:]) == pytest.approx(1.0)
        assert sensor.sampling_period > 0
        sensor.disable()
        assert sensor.sampling_period == 0
        for period in (-5, 0):
            with pytest.raises(ValueError, match='disable'):
                sensor.enable(period)


def test_position_sensor(arm):
    sensor = arm.sensors['arm/shoulder sensor']
    sensor.enable(16)
    arm.joints[0].target = 0.5
    arm.step()
    assert math.isnan(sensor.value)
    arm.step()
    assert sensor.value == arm.joints[0].position


def test_force_torque_sensor(tmp_path):
    world = tmp_path / 'hung.wbt'
    world.write_text("""#VRML_SIM R2025a utf8
        WorldInfo { basicTimeStep 4 }
        Robot { name "r" children [ HingeJoint {
            #servosim forceTorqueSensor "shoulder load"
            jointParameters HingeJointParameters { axis 0 1 0 }
            device RotationalMotor { name "m" maxTorque 100 }
            endPoint Solid { name "arm" physics Physics {
                density -1 mass 2 centerOfMass [ 0.3 0 0 ] inertiaMatrix [ 0.1 0.1 0.1, 0 0 0 ] } } } ] }
        """)
    trace = tmp_path / 'hung.csv'
    sim = servosim.Simulation(world)
    with sim.trace(str(trace)):
        sensor = sim.sensors['r/shoulder load']
        sensor.enable(4)
        sim.step(250)
        assert sensor.type == 'TouchSensor'
        assert sensor.value == pytest.approx([0, 0, -2 * 9.81, 0, 0.3 * 2 * 9.81, 0], abs=1e-3)
    header, *rows = trace.read_text().splitlines()
    names = [name for name in header.split(',') if name.startswith('r/m force') or 'torque x' in name]
    assert names == ['r/m force x [N]', 'r/m force y [N]', 'r/m force z [N]', 'r/m torque x [N m]']
    last = dict(zip(header.split(','), map(float, rows[-1].replace(',,', ',nan,').split(','))))
    assert last['r/m force z [N]'] == pytest.approx(-2 * 9.81, abs=1e-3)
    assert last['r/m torque y [N m]'] == pytest.approx(0.3 * 2 * 9.81, abs=1e-3)


def test_servos():
    sim = servosim.Simulation(WORLDS / 'so101.wbt')
    joint = sim.joints['elbow_flex']
    servo = joint.servo
    joint.target = 0.5
    sim.step(20)
    assert isinstance(servo, servosim.Servo) and servo.model == 'STS3215'
    assert repr(servo) == "<Servo 'STS3215' of 'so101/elbow_flex'>"
    assert 0.1 < abs(servo.current) < 3 and 0.01 < abs(servo.duty) <= servo.max_duty == 0.97
    assert servo.current == joint.servo.current
    assert servo.voltage == pytest.approx(7.4, abs=0.5)
    assert servo.temperature == servo.case_temperature == 25
    assert servo.motor_torque == pytest.approx(1.21164 * servo.current, rel=1e-5)
    assert 0 < servo.target <= 0.5 and math.isfinite(servo.load_torque) and servo.is_shut_down is False
    with pytest.raises(AttributeError):
        servo.current = 1
    sim.fields['elbow_flex.servo'] = ''
    assert joint.servo is None and servo.model == '' and math.isnan(servo.duty)
    assert servo.is_shut_down is False
    sim.fields['elbow_flex.servo'] = 'XL330-M288-T'
    assert servo.model == 'XL330-M288-T' and servo.voltage == pytest.approx(5)


def test_plain_motors_and_joints_without_one_are_no_servos(arm):
    assert arm.joints['shoulder'].servo is None
    sim = servosim.Simulation(ROOT / 'tests/worlds/api_sensors.wbt')
    assert all(joint.servo is None for joint in sim.joints.values())


def test_a_servo_keeps_its_simulation():
    servo = servosim.Simulation(WORLDS / 'so101.wbt').joints['gripper'].servo
    gc.collect()
    assert servo.model == 'STS3215'


def test_pulses():
    sim = servosim.Simulation(WORLDS / 'so101.wbt')
    hobby, bus = sim.joints['gripper'], sim.joints['elbow_flex']
    sim.fields['gripper.servo'] = 'SG90'
    targets = sim.joint_targets
    hobby.servo.pulse = 1500
    assert hobby.target == pytest.approx(math.pi / 2 * 50 / 950) and hobby.servo.pulse == pytest.approx(1500)
    assert targets[hobby.index] == hobby.target
    with pytest.raises(ValueError, match='its servo STS3215 takes no pulses; servos that do are DS3218'):
        bus.servo.pulse = 1500
    assert math.isnan(bus.servo.pulse)
    with pytest.raises(ValueError, match='a finite number > 0'):
        hobby.servo.pulse = 0
    with pytest.raises(TypeError):
        hobby.servo.pulse = 'wide'
    hobby.target = math.inf
    assert math.isnan(hobby.servo.pulse)
