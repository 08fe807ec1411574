# SPDX-License-Identifier: Apache-2.0
"""Pictures of sensors: of a simulation, of a batch, and of episodes."""
import gc
import pathlib

import numpy as np
import pytest

import servosim
from servosim.tasks import Episodes, Task

BOARD = pathlib.Path(__file__).with_name('board.wbt')


def begun(**more):
    sim = servosim.Simulation(BOARD, **more)
    sensors = sim.picture_sensors
    sensors['camera'].enable(segmentation=True)
    sensors['finder'].enable()
    sensors['scan'].enable(32)
    return sim, sensors


def test_a_simulation_has_pictures_without_a_controller():
    sim, sensors = begun()
    assert list(sensors) == ['eye/camera', 'eye/finder', 'eye/scan', 'eye/plain']
    camera, finder, scan, _ = sensors.values()
    assert repr(camera) == "<PictureSensor 'eye/camera', Camera>" and camera.sampling_period == 16
    assert (camera.width, camera.height, scan.width, scan.height) == (12, 8, 9, 2)
    assert not camera.rgb.any() and not finder.depth.any(), 'the first picture comes one period later'
    sim.step()
    assert not scan.ranges.any()
    sim.step()
    assert camera.rgb.shape == camera.segmentation.shape == (8, 12, 3)
    assert camera.rgb.dtype == np.uint8
    assert finder.depth.shape == (4, 6) and finder.depth.dtype == np.float32
    assert scan.ranges.shape == (2, 9) and scan.ranges.dtype == np.float32
    seen = camera.rgb[(camera.rgb != 0).any(axis=2)]
    assert len(seen) > 3 and (seen == seen[0]).all() and seen[0][0] == 207 > seen[0][1] > seen[0][2]
    segment = camera.segmentation[(camera.segmentation != 0).any(axis=2)]
    assert len(segment) == len(seen) and (segment == (51, 102, 153)).all()
    assert np.isclose(finder.depth[np.isfinite(finder.depth)], 1.875, atol=1e-6).all()
    assert np.isinf(finder.depth).any() and 1.875 <= scan.ranges.min() < 2.0


def test_a_picture_is_the_memory_of_its_sensor():
    sim, sensors = begun()
    sim.step(2)
    rgb, depth = sensors['camera'].rgb, sensors['finder'].depth
    assert np.shares_memory(rgb, sensors['camera'].rgb)
    before = rgb.copy()
    with pytest.raises(ValueError, match='read-only'):
        rgb[0, 0, 0] = 1
    sim.joints['board'].target_velocity = 3.0
    sim.joints['board'].target = np.inf
    sim.step(10)
    assert (rgb != before).any(), 'each picture overwrites the former one'
    sensors['camera'].disable()
    now = rgb.copy()
    sim.step(5)
    assert (rgb == now).all() and sensors['camera'].sampling_period == 0
    sim.fields['CAMERA.width'] = 20
    sensors['camera'].enable()
    sim.step(2)
    assert sensors['camera'].rgb.shape == (8, 20, 3) and (rgb == now).all()
    last = depth.copy()
    del sim, sensors
    gc.collect()
    assert (depth == last).all(), 'an array keeps its memory'


def test_pictures_go_on_after_states_as_without():
    sim, sensors = begun()
    sim.joints['board'].target = 0.2
    sim.step(5)
    state = sim.save()
    sim.step(7)
    expected = sensors['camera'].rgb.copy(), sensors['finder'].depth.copy()
    other = sim.clone()
    sim.restore(state)
    other.restore(state)
    for one in (sim, other):
        one.step(7)
        camera, finder = one.picture_sensors['camera'], one.picture_sensors['finder']
        assert (camera.rgb == expected[0]).all() and (finder.depth == expected[1]).all()


@pytest.mark.parametrize('call, error, message', [
    (lambda sensors: sensors['finder'].rgb, AttributeError,
     "'eye/finder', a RangeFinder, has no rgb: only a Camera has colors"),
    (lambda sensors: sensors['camera'].depth, AttributeError,
     "'eye/camera', a Camera, has no depth: only a RangeFinder has it"),
    (lambda sensors: sensors['finder'].ranges, AttributeError,
     "'eye/finder', a RangeFinder, has no ranges: only a Lidar has them"),
    (lambda sensors: sensors['plain'].segmentation, AttributeError,
     'only a Camera with Recognition { segmentation TRUE } has it'),
    (lambda sensors: sensors['plain'].enable(segmentation=True), ValueError,
     "'eye/plain', a Camera, has no segmentation"),
    (lambda sensors: sensors['plain'].rgb, RuntimeError,
     "'eye/plain' has no picture yet: enable() starts it"),
    (lambda sensors: sensors['plain'].enable(0), ValueError,
     'period_ms is 1 or more, not 0; disable() stops the sensor'),
    (lambda sensors: sensors['camra'], KeyError,
     "no picture sensor is called 'camra'; did you mean 'eye/camera'?"),
])
def test_what_is_wrong_with_a_sensor_is_said(call, error, message):
    with pytest.raises(error) as raised:
        call(servosim.Simulation(BOARD).picture_sensors)
    assert message in str(raised.value) and '\n' not in str(raised.value)


def batch_of(n=3, observe=('camera.rgb', 'finder.depth', 'board.position'), **more):
    batch = servosim.Batch(BOARD, n, **more)
    batch.bind(observe=list(observe), act=['board.target_velocity'])
    return batch


def test_a_batch_has_pictures_next_to_its_numbers():
    batch = batch_of(observe=['*.rgb', '*.depth', '*.ranges', '*.segmentation', 'board.position'])
    assert batch.observation_names == ['eye/board.position'] and batch.observations.shape == (3, 1)
    shapes = {name: (array.shape, array.dtype) for name, array in batch.pictures.items()}
    assert shapes == {'eye/camera.rgb': ((3, 8, 12, 3), np.uint8), 'eye/plain.rgb': ((3, 4, 4, 3), np.uint8),
                      'eye/finder.depth': ((3, 4, 6), np.float32), 'eye/scan.ranges': ((3, 2, 9), np.float32),
                      'eye/camera.segmentation': ((3, 8, 12, 3), np.uint8)}
    array = batch.pictures['camera.rgb']
    assert array is not None and array.flags.c_contiguous and not array.flags.writeable
    assert np.shares_memory(array, batch.pictures['eye/camera.rgb'])
    before = array.copy()
    batch.actions[:, 0] = [0.0, 2.0, -2.0]
    for _ in range(10):
        batch.step()
    assert (array[0] == before[0]).all() and (array[1] != before[1]).any() and (array[1] != array[2]).any()
    batch.reset(np.array([False, True, True]))
    assert (array == before).all()
    sim, sensors = begun()
    sim.step(2)
    assert (array[0] == sensors['camera'].rgb).all()
    with pytest.raises(KeyError, match="no picture is called 'camera.rbg'; did you mean"):
        batch.pictures['camera.rbg']
    assert 'camera.rgb' in batch.pictures and 'eye/camera.rgb' in batch.pictures
    assert 'camera.rbg' not in batch.pictures and 3 not in batch.pictures
    assert np.shares_memory(batch.pictures.get('camera.rgb'), array)
    assert batch.pictures.get('camera.rbg') is None and batch.pictures.get('x', 5) == 5
    batch.bind(observe=['board.position'])
    assert batch.pictures == {} and (array == before).all()


def test_a_bind_that_throws_leaves_the_arrays():
    batch = servosim.Batch(BOARD, 2)
    batch.bind(observe=['board.pose', 'time'], act=['board.target_velocity'])
    batch.set('CAMERA.width', [12, 20])
    with pytest.raises(ValueError, match='pictures of all instances have the same size'):
        batch.bind(observe=['camera.rgb'])
    assert batch.observations.shape == (2, 8) and batch.actions.shape == (2, 1) and batch.pictures == {}
    assert np.isclose(batch.observations[:, 0], 2.0).all()
    batch.step()


def test_equal_names_have_the_numbers_of_a_simulation(tmp_path):
    world = tmp_path / 'equal.wbt'
    world.write_text(BOARD.read_text().replace('name "finder"', 'name "camera"')
                     .replace('name "plain"', 'name "camera"'))
    batch = servosim.Batch(world, 1)
    batch.bind(observe=['*.rgb', '*.segmentation', '*.depth'])
    assert list(batch.pictures) == ['eye/camera.rgb', 'eye/camera #3.rgb', 'eye/camera.segmentation',
                                    'eye/camera #2.depth']
    sensors = servosim.Simulation(world).picture_sensors
    assert [sensor.type for sensor in sensors.values()] == ['Camera', 'RangeFinder', 'Lidar', 'Camera']
    assert list(sensors) == ['eye/camera', 'eye/camera #2', 'eye/scan', 'eye/camera #3']


def test_a_segmentation_that_is_gone_is_an_error():
    batch = batch_of(observe=['camera.segmentation'])
    with pytest.raises(ValueError, match='it is not there with these values'):
        batch.set('CAMERA.recognition.segmentation', 0)
    before = batch.pictures['camera.segmentation'].copy()
    batch.step()
    assert (batch.pictures['camera.segmentation'] == before).all() and before.any()

    sim = servosim.Simulation(BOARD)
    batch = servosim.Batch(sim, 2)
    batch.bind(observe=['camera.segmentation'])
    sim.fields['CAMERA.recognition.segmentation'] = False
    batch.reset(states=sim.save())
    assert batch.failed.all() and 'it is not there with these values' in batch.failure(0)
    batch.reset()
    assert not batch.failed.any()


def test_missing_textures_are_notices(tmp_path):
    world = tmp_path / 'bare.wbt'
    world.write_text(BOARD.read_text().replace('appearance Appearance {',
                                               'appearance Appearance { texture ImageTexture { '
                                               'url [ "nothere.png" ] }'))
    got = []
    sim = servosim.Simulation(world, notice=got.append)
    sim.picture_sensors['camera'].enable()
    sim.step(3)
    assert any('nothere.png' in text for text in got), got
    of_batch = []
    batch = servosim.Batch(servosim.Simulation(world, notice=of_batch.append), 3)
    batch.bind(observe=['camera.rgb'])
    assert len([text for text in of_batch if 'nothere.png' in text]) == 1, of_batch


def test_threads_change_no_byte():
    batches = [batch_of(11, threads=threads) for threads in (1, 2)]
    for t in range(4):
        for batch in batches:
            batch.actions[:, 0] = np.linspace(-3, 3, 11)
            batch.step()
        for name in batches[0].pictures:
            assert (batches[0].pictures[name] == batches[1].pictures[name]).all()


def test_a_rollout_gives_pictures_where_asked():
    stepped, rolled = batch_of(), batch_of()
    actions = np.linspace(-3, 3, 3 * 4).reshape(3, 4, 1)
    assert isinstance(batch_of().rollout(actions), np.ndarray)
    rows, pictures = rolled.rollout(actions, pictures=['finder.depth', 'eye/finder.depth'])
    assert list(pictures) == ['eye/finder.depth'] and pictures['finder.depth'].shape == (3, 4, 4, 6)
    for t in range(4):
        stepped.actions[:] = actions[:, t]
        stepped.step()
        assert (rows[:, t] == stepped.observations).all()
        assert (pictures['finder.depth'][:, t] == stepped.pictures['finder.depth']).all()
    for name in stepped.pictures:
        assert (stepped.pictures[name] == rolled.pictures[name]).all()
    with pytest.raises(KeyError, match="no picture is called 'scan.ranges'"):
        rolled.rollout(actions, pictures=['scan.ranges'])


@pytest.mark.parametrize('name, message', [
    ('finder.rgb', "no Camera is called \"finder\"; there are 'eye/camera', 'eye/plain'"),
    ('plain.segmentation', 'no Camera with Recognition.segmentation TRUE is called "plain"'),
    ('camera.rbg', "did you mean 'camera.rgb'?"),
    ('camera.value', 'no sensor is called "camera"'),
])
def test_what_is_no_picture_is_said(name, message):
    batch = servosim.Batch(BOARD, 1)
    with pytest.raises(ValueError) as raised:
        batch.bind(observe=[name])
    assert message in str(raised.value) and '\n' not in str(raised.value)


def reward(observed, actions):
    return (observed if isinstance(observed, np.ndarray) else observed['eye/camera.rgb']).sum(axis=(1, 2, 3))


def test_episodes_observe_pictures():
    for observe, names in ((['camera.rgb'], None), (['*.rgb'], ['eye/camera.rgb', 'eye/plain.rgb']),
                           (['camera.rgb', 'board.position'], ['observations', 'eye/camera.rgb'])):
        episodes = Episodes(Task(BOARD, observe, ['board.target_velocity'], reward), 2)
        first = episodes.reset()
        picture = first if names is None else first['eye/camera.rgb']
        assert (names is None) == isinstance(first, np.ndarray) and picture.shape == (2, 8, 12, 3)
        if names is not None:
            assert list(first) == names
        observed, rewards, ended, cut = episodes.step(np.array([[3.0], [0.0]]))
        assert (rewards == reward(observed, None)).all() and not ended.any() and not cut.any()
        assert not np.shares_memory(picture, episodes.batch.pictures['camera.rgb']), 'it is a copy'
