# SPDX-License-Identifier: Apache-2.0
"""servosim.Simulation: loading, stepping, state."""
import copy
import logging
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import servosim
from conftest import ROOT, WORLDS


def test_is_the_installed_package():
    assert not servosim.__file__.startswith(str(ROOT / 'python'))
    assert 'site-packages' in servosim.__file__


def test_steps_advance_time(arm):
    assert (arm.time, arm.step_count, arm.time_step) == (0.0, 0, 0.008)
    arm.step()
    arm.step(4)
    arm.step(0)
    assert (arm.time, arm.step_count) == (0.04, 5)
    assert arm.step(np.int64(3)) is None
    assert arm.step(n=2) is None
    assert arm.step_count == 10


@pytest.mark.parametrize('count', [-1, 1.5, 'x', None, 2**70])
def test_bad_counts_are_refused(arm, count):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        arm.step(count)
    assert arm.step_count == 0


def test_n_steps_are_n_times_a_step(arm):
    twin = arm.clone()
    for sim in (arm, twin):
        sim.joints['arm/shoulder'].target = 0.7
    arm.step(300)
    for _ in range(300):
        twin.step()
    assert arm.state_hash() == twin.state_hash()


def test_path_of_any_kind():
    for path in (str(WORLDS / 'arm.wbt'), WORLDS / 'arm.wbt'):
        assert servosim.Simulation(path).world == str(WORLDS / 'arm.wbt')


def test_bad_world_has_its_diagnostics(tmp_path):
    world = tmp_path / 'bad.wbt'
    world.write_text('#VRML_SIM R2023b utf8\nWorldInfo {\n basicTimeStep ]\n}\nRobot { name 7 }\n')
    with pytest.raises(servosim.LoadError) as caught:
        servosim.Simulation(world)
    assert isinstance(caught.value, ValueError)
    errors = [d for d in caught.value.diagnostics if d.severity == 'error']
    assert errors and errors[0].file == str(world) and errors[0].line == 3
    assert errors[0].message and str(errors[0]).startswith(f'{world}:3:')
    assert errors[0].message in str(caught.value)


def test_missing_file_is_a_load_error(tmp_path):
    with pytest.raises(servosim.LoadError, match='nowhere.wbt'):
        servosim.Simulation(tmp_path / 'nowhere.wbt')


def test_warnings_are_diagnostics_and_logged(caplog):
    text = ('#VRML_SIM R2023b utf8\nEXTERNPROTO "nowhere/Unheard.proto"\n'
            'WorldInfo { basicTimeStep 16 }\nUnheard { }\n')
    with caplog.at_level(logging.WARNING, 'servosim'):
        sim = servosim.Simulation.from_text(text)
    missing = [d.missing for d in sim.diagnostics if d.missing]
    assert missing and missing[0].kind == 'protos' and 'Unheard' in missing[0].subject
    assert 'Unheard' in caplog.text
    sim.step()


@pytest.mark.parametrize('arguments', [
    {'seed': -1}, {'seed_offset': -1}, {'solver': 'magic'}, {'integrator': 'rk4'}, {'evaluations': 9},
    {'evaluations': -1}, {'accuracy': -1e-4}, {'accuracy': 2}])
def test_bad_options(arguments):
    with pytest.raises(ValueError):
        servosim.Simulation(WORLDS / 'arm.wbt', **arguments)


def test_integrator_joint_keeps_the_speed_of_a_free_arm():
    text = ('#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 32 gravity 0 }\nRobot { name "r" children [ '
            'HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device PositionSensor { name "p" } '
            'endPoint Solid { translation 0.5 0 0 boundingObject Box { size 0.1 0.1 0.1 } '
            'physics Physics { density -1 mass 1 } } } ] }\n')
    speeds = {}
    for integrator in (None, 'ode', 'joint'):
        only_joint = {'evaluations': 3, 'accuracy': 1e-4} if integrator == 'joint' else {}
        sim = servosim.Simulation.from_text(text, integrator=integrator, **only_joint)
        joint = sim.joints[0]
        joint.set_state(0.0, 10.0)
        sim.step(62)
        speeds[integrator] = joint.velocity
    assert speeds['joint'] == pytest.approx(10.0, abs=1e-9)
    assert speeds[None] == speeds['ode'] < 6.0
    with pytest.raises(servosim.LoadError, match='have no accuracy: leave out --accuracy, or choose'):
        servosim.Simulation.from_text(text, accuracy=1e-4)


def test_state_goes_back_to_the_bit(arm):
    arm.joints['arm/elbow'].target = -0.3
    arm.step(50)
    state = arm.save()
    assert type(state) is bytes
    before = arm.state_hash()
    arm.step(200)
    after = arm.state_hash()
    arm.restore(state)
    assert arm.state_hash() == before and arm.step_count == 50
    arm.step(200)
    assert arm.state_hash() == after
    arm.reset()
    assert arm.step_count == 0


def test_clone_exchanges_states_and_is_independent(arm):
    arm.step(20)
    twin = arm.clone()
    assert twin.state_hash() == arm.state_hash()
    twin.step(5)
    assert arm.step_count == 20
    arm.restore(twin.save())
    assert arm.state_hash() == twin.state_hash()
    assert copy.copy(arm).state_hash() == copy.deepcopy(arm).state_hash() == arm.state_hash()


def test_other_bytes_are_refused(arm, pendulum):
    state = arm.save()
    arm.step(3)
    now = arm.state_hash()
    damaged = bytearray(state)
    damaged[len(state) // 2] ^= 1
    for bad, why in [(b'', 'no state'), (b'x' * 100, 'no state'), (state[:-1], 'cut off'),
                     (bytes(damaged), 'changed'), (state + b'0', 'damaged'),
                     (pendulum.save(), 'another simulation')]:
        with pytest.raises(ValueError, match=why):
            arm.restore(bad)
        assert arm.state_hash() == now
    with pytest.raises(TypeError):
        arm.restore('text')
    for at in range(0, len(state), max(1, len(state) // 60)):
        damaged = bytearray(state)
        damaged[at] ^= 0x55
        with pytest.raises(ValueError):
            arm.restore(bytes(damaged))
    assert arm.state_hash() == now


def test_seeds_choose_the_noise():
    world = (WORLDS / 'arm.wbt').read_text().replace('PositionSensor {',
                                                     'PositionSensor { noise 0.25')

    def values(seed):
        sim = servosim.Simulation.from_text(world, WORLDS, seed=seed)
        for sensor in sim.sensors.values():
            sensor.enable()
        sim.step(20)
        return [sensor.value for sensor in sim.sensors.values() if sensor.type == 'PositionSensor']

    assert values(3) == values(3)
    assert values(3) != values(4)


def test_diverged_simulation_can_be_restored(pendulum):
    state = pendulum.save()
    positions = pendulum.joint_positions
    with pytest.raises(servosim.Diverged, match='pivot'):
        for _ in range(1000):
            pendulum.solids['pendulum/rod'].add_torque([0, 1e12, 0])
            pendulum.step()
    assert issubclass(servosim.Diverged, servosim.StepFailed)
    with pytest.raises(servosim.StepFailed):
        pendulum.step()
    pendulum.restore(state)
    pendulum.step(10)
    assert np.isfinite(positions).all()


def test_pickling_is_refused(arm):
    with pytest.raises(TypeError):
        pickle.dumps(arm)


def test_notices_go_where_they_are_asked_to(caplog):
    got = []
    sim = servosim.Simulation(WORLDS / 'arm.wbt', notice=got.append)
    sim.joints['arm/shoulder'].target = 9.0
    assert len(got) == 1 and 'shoulder' in got[0]
    sim = servosim.Simulation(WORLDS / 'arm.wbt')
    with caplog.at_level(logging.WARNING, 'servosim'):
        sim.joints['arm/shoulder'].target = 9.0
    assert 'shoulder' in caplog.text


def test_a_failing_notice_is_reported_and_the_command_counts(monkeypatch):
    def fails(text):
        raise RuntimeError('in the notice')

    sim = servosim.Simulation(WORLDS / 'arm.wbt', notice=fails)
    seen = []
    monkeypatch.setattr(sys, 'unraisablehook', lambda report: seen.append(report.exc_value))
    sim.joints['arm/shoulder'].target = 9.0
    assert [str(error) for error in seen] == ['in the notice']
    assert sim.joints['arm/shoulder'].target == 1.5


def test_the_interpreter_ends_cleanly():
    code = ('import servosim, sys\n'
            'sim = servosim.Simulation(sys.argv[1])\n'
            'q = sim.joint_positions\n'
            'joints = sim.joints\n'
            'sim.step(9)\n'
            'del sim\n'
            'assert joints["shoulder"].index == 0\n'
            'print(float(q[0]))\n')
    done = subprocess.run([sys.executable, '-c', code, WORLDS / 'arm.wbt'], text=True,
                          capture_output=True, env={**os.environ, 'PYTHONDEVMODE': '1'})
    assert done.returncode == 0 and done.stderr == '' and done.stdout.strip()


def test_a_subclass_without_its_base_is_an_error():
    class Mine(servosim.Simulation):
        def __init__(self):
            pass

    for use in (lambda: servosim.Simulation.__new__(Mine).step(), lambda: Mine()):
        with pytest.raises(TypeError, match='__init__'):
            use()

    class Named(servosim.Simulation):
        name = 'mine'

    sim = Named(WORLDS / 'arm.wbt')
    sim.step()
    assert sim.name == 'mine' and sim.step_count == 1


def test_wrong_arguments_of_step(arm):
    for call in (lambda: arm.step(1, 2), lambda: arm.step(m=1), lambda: arm.step(1, n=2)):
        with pytest.raises(TypeError):
            call()
    assert arm.step_count == 0
