# SPDX-License-Identifier: Apache-2.0
"""Recordings and the pages that show them."""
import base64
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import servosim
from conftest import WORLDS, interrupted, needs_page
from servosim.tasks import CART_POLE, Episodes

ARM = WORLDS / 'arm.wbt'
BOARD = pathlib.Path(__file__).with_name('board.wbt')


def records(data):
    """Returns the scenes, the frames as (time, positions of joints) and the end of a recording."""
    assert data[:8] == b'SVTREC1\n'
    plain = zlib.decompressobj().decompress(data[8:])
    scenes, frames, end, at = [], [], None, 0
    while at < len(plain):
        kind, size = chr(plain[at]), struct.unpack_from('<I', plain, at + 1)[0]
        content = plain[at + 5:at + 5 + size]
        at += 5 + size
        if kind == 'S':
            scenes.append(json.loads(content))
        elif kind == 'E':
            end = json.loads(content)
        else:
            moving = sum(body['moves'] for body in scenes[-1]['bodies'])
            joints = [struct.unpack_from('<f', content, 8 + 20 * moving + 20 * j)[0]
                      for j in range(len(scenes[-1]['joints']))]
            frames.append((struct.unpack_from('<d', content)[0], joints))
    return scenes, frames, end


def pictures(data):
    """Returns what sensors have seen: their names, times, sizes and files."""
    plain, found, at = zlib.decompressobj().decompress(data[8:]), [], 0
    while at < len(plain):
        kind, size = chr(plain[at]), struct.unpack_from('<I', plain, at + 1)[0]
        content = plain[at + 5:at + 5 + size]
        at += 5 + size
        if kind == 'P':
            time, _, _, width, height, _, _, length = struct.unpack_from('<dffHHHHI', content)
            found.append((content[28:28 + length].decode(), time, (width, height), content[28 + length:]))
    return found


def test_a_recording_has_the_pictures_of_enabled_sensors(tmp_path):
    sim = servosim.Simulation(BOARD)
    sim.picture_sensors['camera'].enable(16)
    twin = sim.clone()
    with sim.record(tmp_path / 'a.svt', images=10):
        sim.step(50)
        last = sim.picture_sensors['camera'].rgb.copy()
    with twin.record(tmp_path / 'b.svt'):
        twin.step(50)
    assert sim.state_hash() == twin.state_hash()
    assert pictures((tmp_path / 'b.svt').read_bytes()) == [], 'images are recorded on demand'
    found = pictures((tmp_path / 'a.svt').read_bytes())
    assert {(name, size) for name, _, size, _ in found} == {('eye/camera', (12, 8))}
    # 50 steps of 16 ms: at the first step at or after each 0.1 s
    assert [time for _, time, _, _ in found] == pytest.approx([0.112, 0.208, 0.304, 0.4, 0.512, 0.608, 0.704, 0.8])
    file, at, packed = found[-1][3], 8, b''
    while at < len(file):
        length, kind = struct.unpack_from('>I4s', file, at)
        packed += file[at + 8:at + 8 + length] if kind == b'IDAT' else b''
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(8, 1 + 3 * 12)
    seen, above = [], np.zeros((12, 3), np.uint8)
    for row in rows:  # filter 1 adds the pixel to the left, filter 2 the one above
        part = row[1:].reshape(12, 3)
        above = np.cumsum(part, axis=0, dtype=np.uint8) if row[0] == 1 else part + above
        seen.append(above)
    assert set(rows[:, 0]) <= {1, 2} and (np.array(seen) == last).all() and last.any()


@pytest.mark.parametrize('images', [-1, 2e6, float('nan'), float('inf')])
def test_a_wrong_number_of_pictures_is_refused(images, tmp_path):
    sim = servosim.Simulation(BOARD)
    with pytest.raises(ValueError, match='images is a number of pictures per simulated second, from 0 to 1e6'):
        sim.record(tmp_path / 'a.svt', images=images)
    assert not (tmp_path / 'a.svt').exists()


def recorded_in(page):
    return base64.b64decode(re.search(r'id="recording-0"[^>]*>([^<]*)<', page).group(1))


def test_a_recording_has_what_was_simulated(arm, tmp_path):
    path = tmp_path / 'best.svt'
    twin = arm.clone()
    arm.joint_targets = twin.joint_targets = [0.5, -0.25, 0.0625]
    with arm.record(path, rate=50) as recording:
        assert recording.path == str(path) and not recording.closed
        arm.step(200)
        frames = recording.frames
        end = arm.joint_positions.copy()
    assert recording.closed and frames == 81
    arm.step(5)
    twin.step(205)
    assert arm.state_hash() == twin.state_hash()
    scenes, frames, last = records(path.read_bytes())
    assert len(scenes) == 1 and scenes[0]['world'] == 'arm.wbt'
    assert [time for time, _ in frames] == pytest.approx(np.arange(81) * 0.02, abs=0.008)
    assert frames[-1][1] == pytest.approx(end, abs=1e-6) and last['time'] == pytest.approx(1.6)


def test_episodes_follow_each_other(arm, tmp_path):
    recording = arm.record(tmp_path / 'a.svt')
    state = arm.save()
    for begin in (arm.reset, lambda: arm.restore(state), lambda: None):
        arm.step(50)
        begin()
    recording.close()
    recording.close()
    times = [time for time, _ in records((tmp_path / 'a.svt').read_bytes())[1]]
    assert times == pytest.approx(np.arange(31) * 0.04, abs=0.008)


@needs_page
def test_the_page_has_the_recording(arm, tmp_path):
    recording = arm.record()
    assert recording.path == ''
    arm.joints[0].target = 0.5
    arm.step(100)
    page = arm.replay()
    assert isinstance(page, str) and page.lower().startswith('<!doctype html>')
    assert repr(page).startswith("<Replay of 'arm.wbt', a page of ")
    frames = records(recorded_in(page))[1]
    assert len(frames) == recording.frames == 21 and frames[-1][1][0] > 0.01
    recording.close()
    assert len(records(recorded_in(recording.replay()))[1]) == 21
    arm.step(100)
    with arm.record(tmp_path / 'b.svt'):
        arm.step(10)
        assert len(records(recorded_in(arm.replay()))[1]) == 3
    assert records(recorded_in(arm.replay()))[2]['reason'] == 'the recording was closed'
    (tmp_path / 'b.svt').unlink()
    with pytest.raises(OSError, match='b.svt'):
        arm.replay()


@needs_page
def test_without_a_recording_the_page_has_the_present_state(arm):
    arm.joints[0].set_state(0.25)
    _, frames, end = records(recorded_in(arm.replay()))
    assert len(frames) == 1 and frames[0][1][0] == 0.25
    assert 'nothing was recorded' in end['reason']


@needs_page
def test_a_notebook_shows_the_page_in_place(arm):
    html = arm.replay()._repr_html_()
    assert html.startswith('<iframe srcdoc="') and html.count('"') == 4 and '<script' not in html


@needs_page
@pytest.mark.skipif(not shutil.which('chromium'), reason='there is no chromium')
def test_a_browser_shows_it_in_place(arm, tmp_path):
    with arm.record() as recording:
        arm.step(50)
    notebook = tmp_path / 'notebook.html'
    notebook.write_text('<!DOCTYPE html><html><body><p>cell</p>' + recording.replay()._repr_html_() +
                        '</body></html>')
    done = subprocess.run(
        ['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--use-angle=swiftshader',
         '--enable-unsafe-swiftshader', '--virtual-time-budget=20000', '--enable-logging=stderr',
         f'--user-data-dir={tmp_path}/profile', f'--screenshot={tmp_path}/a.png', f'file://{notebook}'],
        text=True, capture_output=True, timeout=200,
        env={**os.environ, 'LD_PRELOAD': '', 'HOME': str(tmp_path), 'XDG_CACHE_HOME': str(tmp_path),
             'XDG_CONFIG_HOME': str(tmp_path)})
    assert (tmp_path / 'a.png').exists(), done.stderr
    said = [line for line in done.stderr.splitlines() if 'CONSOLE' in line and 'GL Driver' not in line]
    assert not said


@needs_page
@pytest.mark.parametrize('threads', [1, 3])
def test_an_instance_of_a_batch(tmp_path, threads):
    batch = servosim.Batch(ARM, 5, threads=threads, control_step_ms=80, seed=7)
    batch.bind(observe=['arm/*.position'], act=['arm/shoulder.target_position'])
    recording = batch.record(tmp_path / 'best.svt', 3)
    batch.actions[:] = 0.1 * np.arange(5)[:, None]
    batch.step()
    batch.rollout(np.full((5, 9, 1), 0.3))
    recording.close()
    batch.step()
    _, frames, _ = records((tmp_path / 'best.svt').read_bytes())
    assert [time for time, _ in frames] == pytest.approx(np.arange(21) * 0.04)
    alone = servosim.Simulation(ARM, seed=10)
    alone.joints[0].target = 0.3
    alone.step(10)
    first = alone.joint_positions[0]
    assert frames[2][1][0] == pytest.approx(first, abs=1e-6)
    alone.step(90)
    assert frames[-1][1] == pytest.approx(alone.joint_positions, abs=1e-6)
    assert len(records(recorded_in(batch.replay()))[1]) == 21
    other = servosim.Batch(ARM, 2)
    assert len(records(recorded_in(other.replay()))[1]) == 1
    with pytest.raises(IndexError):
        batch.record(instance=5)


def test_recording_changes_nothing():
    hashes = []
    for recorded in (False, True):
        batch = servosim.Batch(WORLDS / 'rover.wbt', 3, threads=2, seed=1)
        batch.bind(observe=['*.position', '*.pose'])
        if recorded:
            batch.record(instance=1)
        for _ in range(50):
            batch.step()
        hashes.append(batch.observations.tolist())
    assert hashes[0] == hashes[1]


def test_two_instances_and_a_failed_one():
    batch = servosim.Batch(WORLDS / 'pendulum.wbt', 3)
    batch.bind(observe=['pivot.position'], act=['pivot.target_force'])
    recordings = [batch.record(instance=i) for i in (0, 2)]
    batch.step()
    batch.reset([True, False, False])
    batch.rollout(np.zeros((3, 50, 1)))
    assert all(recording.frames == 1 + int(51 * batch.control_step_ms / 40) for recording in recordings)


@needs_page
def test_episodes_and_environments(tmp_path):
    episodes = Episodes(CART_POLE, 2)
    episodes.reset()
    with episodes.record(tmp_path / 'a.svt', 1):
        for _ in range(30):
            episodes.step(np.full((2, 1), 3.0))
    assert len(records((tmp_path / 'a.svt').read_bytes())[1]) == 16
    assert len(records(recorded_in(episodes.replay()))[1]) == 16


@needs_page
def test_gymnasium_environments(tmp_path):
    gymnasium = pytest.importorskip('gymnasium')
    import servosim.gym
    env = gymnasium.make('servosim/CartPole-v0')
    env.reset(seed=3)
    with env.unwrapped.record(tmp_path / 'a.svt', rate=50):
        for _ in range(10):
            env.step(env.action_space.sample())
    assert len(records((tmp_path / 'a.svt').read_bytes())[1]) == 11
    assert env.unwrapped.replay().startswith('<!')
    envs = servosim.gym.make_task_vector('CartPole-v0', num_envs=3)
    envs.reset(seed=3)
    recording = envs.record(instance=2)
    for _ in range(10):
        envs.step(envs.action_space.sample())
    assert recording.frames == 6 and envs.replay().startswith('<!')


@pytest.mark.parametrize('path, error', [
    ('a.txt', ValueError), ('no/folder/a.svt', OSError), ('', OSError)])
def test_what_cannot_be_recorded(arm, tmp_path, path, error):
    with pytest.raises(error):
        arm.record(tmp_path / path if path else tmp_path)
    (tmp_path / 'mine.svt').write_text('no recording')
    with pytest.raises(ValueError, match='mine.svt'):
        arm.record(tmp_path / 'mine.svt')
    arm.step()


@pytest.mark.parametrize('of_batch', [False, True])
def test_a_file_that_cannot_grow_is_an_error(tmp_path, of_batch):
    code = ('import numpy, resource, servosim, signal, sys\n'
            'signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n'
            'sim = servosim.Simulation(sys.argv[1])\n'
            'batch = servosim.Batch(sim, 2)\n'
            'batch.bind(observe=["time"])\n'
            'of_batch = len(sys.argv) > 3\n'
            'recording = (batch if of_batch else sim).record(sys.argv[2])\n'
            'resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))\n'
            'try:\n'
            '    batch.rollout(numpy.zeros((2, 10000, 0))) if of_batch else sim.step(10000)\n'
            'except OSError as error:\n'
            '    print(recording.closed, error)\n'
            'sim.step(5)\n'
            'batch.step()\n')
    done = subprocess.run([sys.executable, '-c', code, ARM, tmp_path / 'a.svt', *['x'] * of_batch], text=True,
                          capture_output=True)
    assert done.returncode == 0 and 'True ' in done.stdout and 'a.svt' in done.stdout, done


def test_a_recording_is_used_by_one_at_a_time(arm):
    recording = arm.record()

    def meanwhile():
        for use in (arm.replay, arm.record, recording.close, recording.replay, lambda: recording.closed,
                    lambda: recording.frames):
            with pytest.raises(servosim.InUseError):
                use()
        assert repr(recording).endswith(' of a simulation in use>')

    interrupted(lambda: arm.step(10**12), lambda: arm.time, meanwhile)
    assert recording.frames > 1


def test_a_forked_process_leaves_it_alone(arm, tmp_path):
    recording = arm.record(tmp_path / 'a.svt')
    arm.step(20)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            arm.step()
        except RuntimeError as error:
            recording.close()
            arm.step()
            code = 0 if 'forked' in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    arm.step(30)
    recording.close()
    assert len(records((tmp_path / 'a.svt').read_bytes())[1]) == 11


def test_the_end_of_the_program_ends_it(tmp_path):
    code = ('import servosim, sys\n'
            'sim = servosim.Simulation(sys.argv[1])\n'
            'sim.record(sys.argv[2])\n'
            'sim.step(100)\n')
    subprocess.run([sys.executable, '-c', code, ARM, tmp_path / 'a.svt'], check=True)
    assert records((tmp_path / 'a.svt').read_bytes())[2]['time'] == pytest.approx(0.8)
