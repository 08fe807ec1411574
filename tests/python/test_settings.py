# SPDX-License-Identifier: Apache-2.0
"""Worlds that are loaded with other values for fields."""
import numpy as np
import pytest

import servosim
from conftest import WORLDS


def test_values_of_python_stand_as_in_the_file():
    sim = servosim.Simulation(WORLDS / 'arm.wbt', settings={
        'arm/shoulder.maxTorque': 31.5, 'WorldInfo.gravity': np.float64(3.75), 'WorldInfo.title': 'heavy "arm"',
        'Robot.translation': (0.5, 0.25, 1), 'Robot.supervisor': True})
    assert sim.joints['arm/shoulder'].max_torque == 31.5
    assert sim.fields['WorldInfo.gravity'] == 3.75
    assert sim.fields['WorldInfo.title'] == 'heavy "arm"'
    assert sim.fields['Robot.translation'] == (0.5, 0.25, 1.0)
    assert sim.fields['Robot.supervisor'] is True


def test_lists_and_arrays():
    sim = servosim.Simulation.from_text(
        '#VRML_SIM R2023b utf8\nWorldInfo { } Robot { name "a" boundingObject Box { } }',
        settings={'WorldInfo.info': ['one', 'two "2" \\\\ 3'], 'Robot.translation': np.array([1.5, 2.5, 3.5]),
                  'Robot.boundingObject': None})
    assert sim.fields['WorldInfo.info'] == ['one', 'two "2" \\\\ 3']
    assert sim.fields['Robot.translation'] == (1.5, 2.5, 3.5)
    assert sim.fields['Robot.boundingObject'] is None


def test_a_setting_equals_the_same_value_in_the_file():
    text = (WORLDS / 'pendulum.wbt').read_text()
    assert 'basicTimeStep 8' in text
    edited = servosim.Simulation.from_text(text.replace('basicTimeStep 8', 'basicTimeStep 4'))
    given = servosim.Simulation.from_text(text, settings={'WorldInfo.basicTimeStep': 4})
    edited.step(100)
    given.step(100)
    assert given.time == pytest.approx(0.4) and given.state_hash() == edited.state_hash()


@pytest.mark.parametrize('settings, error, says', [
    ({'arm/shoulder.maxTorqe': 3}, servosim.LoadError, 'maxTorque'),
    ({'arm/sholder.maxTorque': 3}, servosim.LoadError, 'arm/shoulder'),
    ({'WorldInfo.gravity': 'much'}, servosim.LoadError, 'settings WorldInfo.gravity=much:1:19: '),
    ({'WorldInfo.gravity': object()}, TypeError, 'a setting is a number'),
    (['WorldInfo.gravity=3'], TypeError, 'a dict'),
])
def test_bad_settings(settings, error, says):
    with pytest.raises(error, match=says):
        servosim.Simulation(WORLDS / 'arm.wbt', settings=settings)


def test_a_batch_takes_them():
    batch = servosim.Batch(WORLDS / 'arm.wbt', 2, settings={'WorldInfo.basicTimeStep': 4})
    assert batch.control_step_ms == 4
    with pytest.raises(TypeError, match='for a world that is loaded'):
        servosim.Batch(servosim.Simulation(WORLDS / 'arm.wbt'), 2, settings={'WorldInfo.gravity': 3})


ARM = '''#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "arm" physics Physics { } boundingObject Box { } children [
  HingeJoint { device [ RotationalMotor { name "left" } ]
    endPoint Solid { name "l" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
'''


def test_servos_are_chosen_by_the_project_and_by_settings(tmp_path):
    (tmp_path / 'worlds').mkdir()
    world = tmp_path / 'worlds' / 'w.wbt'
    world.write_text(ARM)
    (tmp_path / 'servosim.toml').write_text('[servo."arm/*"]\nmodel = "own"\nfirmware.p = 16\n')
    (tmp_path / 'mine').mkdir()
    (tmp_path / 'mine' / 'own.toml').write_text('[supply]\nvoltage = 5\n')
    with pytest.raises(servosim.LoadError, match="servosim.toml:1:8: error: .* no servo is called 'own'"):
        servosim.Simulation(world)
    with pytest.raises(servosim.LoadError, match="error: servo_paths: 'nodir' does not exist"):
        servosim.Simulation(world, servo_paths=['nodir'])
    sim = servosim.Simulation(world, servo_paths=[tmp_path / 'mine'])
    assert sim.fields['left.servo'] == 'own firmware.p=16'
    assert sim.fields['left.servo.firmware.p'] == 16
    assert sim.fields['left.servo.supply.voltage'] == 5
    sim.fields['left.servo.supply.voltage'] = 6
    assert sim.fields['left.servo'] == 'own firmware.p=16 supply.voltage=6'
    with pytest.raises(ValueError, match='supply.voltage'):
        sim.fields['left.servo.supply.voltage'] = 0
    assert sim.fields['left.servo.supply.voltage'] == 6
    batch = servosim.Batch(world, 2, servo_paths=[tmp_path / 'mine'], settings={'left.servo': 'SG90'})
    batch.randomize({'arm/*.servo.drive.resistance': (5, 6)})
    batch.reset()
    batch.set('left.servo.firmware.p', [1, 2])


def test_buses_are_checked_and_not_opened(tmp_path):
    (tmp_path / 'worlds').mkdir()
    world = tmp_path / 'worlds' / 'arm.wbt'
    world.write_text('#VRML_SIM R2023b utf8\nWorldInfo { } Robot { name "arm" }')
    (tmp_path / 'servosim.toml').write_text('[[bus]]\nname = "arm"\nlink = "arm"\ncontrol = "arm.control"\n')
    servosim.Simulation(world).step(3)
    batch = servosim.Batch(world, 2)
    batch.bind()
    batch.step()
    assert sorted(path.name for path in tmp_path.iterdir()) == ['servosim.toml', 'worlds']
    (tmp_path / 'servosim.toml').write_text('[[bus]]\nname = "arm"\n[[bus.fault]]\nkind = "fire"\n')
    for load in (servosim.Simulation, lambda path: servosim.Batch(path, 2)):
        with pytest.raises(servosim.LoadError, match=r"servosim.toml:4:8: .*no kind of fault 'fire'"):
            load(world)
