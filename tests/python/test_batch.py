# SPDX-License-Identifier: Apache-2.0
"""servosim.Batch: arrays, episodes, parameters, and refusals."""
import gc
import signal
import threading
import time

import numpy as np
import pytest

import servosim
from conftest import WORLDS, interrupted

ARM = WORLDS / 'arm.wbt'
OBSERVE = ['arm/*.position', 'arm/*.velocity', 'time']
ACT = ['arm/shoulder.target_position', 'arm/elbow.target_position']


def make(n=4, **more):
    batch = servosim.Batch(ARM, n, seed=5, **more)
    batch.bind(observe=OBSERVE, act=ACT)
    return batch


def actions(n, steps, k=2):
    rng = np.random.default_rng(3)
    return rng.uniform(-0.5, 0.5, (n, steps, k))


def test_arrays_have_a_row_for_each_instance():
    batch = make()
    assert len(batch) == batch.n == 4
    assert batch.observation_names[0] == 'arm/shoulder.position'
    assert batch.observation_names[-1] == 'time'
    assert batch.action_names == ACT
    assert batch.observations.shape == (4, len(batch.observation_names))
    assert batch.observations.dtype == batch.dtype == np.float64
    assert batch.observations.flags.c_contiguous and not batch.observations.flags.writeable
    assert batch.observations.ctypes.data % 64 == 0
    assert (batch.action_low < batch.action_high).all()
    batch.actions[:] = 0.3
    before = batch.observations
    batch.step()
    assert (before[:, -1] > 0).all(), 'the array is the memory of the batch'
    assert batch.times == pytest.approx(batch.control_step_ms / 1000)


def test_an_instance_does_what_a_simulation_does():
    batch = make(2)
    batch.actions[0] = (0.4, -0.2)
    batch.actions[1] = (-0.1, 0.3)
    for _ in range(50):
        batch.step()
    sim = servosim.Simulation(ARM, seed=5)
    sim.joints['arm/shoulder'].target = 0.4
    sim.joints['arm/elbow'].target = -0.2
    sim.step(50)
    count = len(sim.joint_positions)
    assert (batch.observations[0, :count] == sim.joint_positions).all()
    assert (batch.observations[1, :count] != sim.joint_positions).any()
    assert (batch.solid_poses(0) == sim.solid_poses).all()


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_a_rollout_is_its_steps_with_any_number_of_threads(dtype):
    given = actions(5, 20).astype(dtype)
    rows = [make(5, threads=threads, dtype=dtype).rollout(given) for threads in (1, 2, 3)]
    assert rows[0].shape == (5, 20, len(make().observation_names)) and rows[0].dtype == dtype
    assert (rows[0] == rows[1]).all() and (rows[0] == rows[2]).all()
    batch = make(5, dtype=dtype)
    for step in range(20):
        batch.actions[:] = given[:, step]
        batch.step()
        assert (batch.observations == rows[0][:, step]).all()
    into = np.empty_like(rows[0])
    assert make(5, dtype=dtype).rollout(given, into) is into
    assert (into == rows[0]).all()


def test_control_steps_are_several_basic_steps():
    batch = make(1, control_step_ms=32)
    basic = make(1)
    assert batch.control_step_ms == 32
    batch.step()
    for _ in range(round(32 / basic.control_step_ms)):
        basic.step()
    assert (batch.observations == basic.observations).all()


def test_episodes_begin_again():
    batch = make(3)
    start = batch.observations.copy()
    batch.actions[:] = 0.4
    for _ in range(10):
        batch.step()
    middle = batch.save(1)
    moved = batch.observations.copy()
    batch.reset([False, True, False])
    assert (batch.observations[1] == start[1]).all()
    assert (batch.observations[[0, 2]] == moved[[0, 2]]).all()
    batch.reset(states=middle)
    assert (batch.observations[0] == moved[1]).all()
    # A reset reads the states of the instances that it resets only.
    batch.reset(np.array([True, False, False]), states=[middle, b'none', b'none'], seeds=[7, 8, 9])
    batch.reset()
    assert (batch.observations == start).all()


def test_parameters_are_those_of_each_instance():
    batch = make(3)
    batch.set('arm/shoulder.maxVelocity', [0.1, 0.5, 1.0])
    batch.reset()
    batch.actions[:] = 1.0
    for _ in range(10):
        batch.step()
    assert (np.diff(batch.observations[:, 0]) > 0).all()
    with pytest.raises(ValueError, match='maxVelocity'):
        batch.set('arm/shoulder.maxVelocty', 1.0)


def test_random_numbers_depend_on_the_seed_alone():
    def rows(n, seed):
        batch = servosim.Batch(ARM, n, seed=seed)
        batch.bind(observe=OBSERVE, act=ACT)
        batch.randomize({'arm/shoulder.maxVelocity': (0.1, 1.0), 'sensor noise': (0.01, 0.02),
                         'action delay': (0, 3)})
        batch.reset()
        return batch.rollout(np.ones((n, 15, 2)))
    many = rows(4, 11)
    assert (many == rows(4, 11)).all()
    assert (many[2] == rows(1, 13)[0]).all()
    assert (many[0] != many[1]).any()


def test_nan_is_refused_and_counted():
    batch = make(2)
    batch.actions[:] = 0.2
    batch.step()
    batch.actions[1, 0] = np.nan
    batch.step()
    assert list(batch.refused) == [0, 1]
    assert np.isfinite(batch.observations).all()


def test_arrays_outlive_the_batch():
    batch = make(2)
    batch.step()
    kept, commands, copy = batch.observations, batch.actions, batch.observations.copy()
    del batch
    gc.collect()
    commands[:] = 1.0
    assert (kept == copy).all()


def test_contacts_have_forces():
    batch = servosim.Batch(WORLDS / 'rover.wbt', 2, contacts=True)
    for _ in range(20):
        batch.step()
    contacts = batch.contacts()
    assert set(contacts) == {'instance', 'solid', 'other', 'point', 'force'}
    assert contacts['point'].shape == contacts['force'].shape == (len(contacts['solid']), 3)
    assert set(contacts['instance']) == {0, 1}
    assert np.linalg.norm(contacts['force'], axis=1).max() > 1.0
    with pytest.raises(ValueError, match='contacts'):
        make().contacts()


@pytest.mark.parametrize('call, error, message', [
    (lambda b: b.bind(observe=['arm/shouldr.position']), ValueError, 'shoulder'),
    (lambda b: b.bind(observe=['arm/shoulder.positon']), ValueError, 'position'),
    (lambda b: b.bind(act=['arm/shoulder.target_position', 'arm/shoulder.target_force']),
     ValueError, 'shoulder'),
    (lambda b: b.rollout(np.zeros((4, 5))), ValueError, r'\(n, t, k\)'),
    (lambda b: b.rollout(np.zeros((3, 5, 2))), ValueError, r'\(3, 5, 2\); it must be \(4, 5, 2\)'),
    (lambda b: b.rollout(np.zeros((4, 5, 2), dtype=np.float32)), TypeError, 'astype'),
    (lambda b: b.rollout(np.zeros((4, 5, 2)), np.zeros((4, 5, 3))), ValueError, 'observations'),
    (lambda b: b.reset([True]), ValueError, 'mask'),
    (lambda b: b.reset(states=b'no state'), ValueError, 'state'),
    (lambda b: b.reset(seeds=[1, 2]), ValueError, 'seeds'),
    (lambda b: b.reset(seeds=[1, 2, 3, -4]), ValueError, 'seed'),
    (lambda b: b.set('arm/shoulder.maxTorque', [1.0, 2.0]), ValueError, '2'),
    (lambda b: b.set('arm/shoulder.maxTorque', np.nan), ValueError, 'maxTorque'),
    (lambda b: b.randomize({'arm/shoulder.maxTorque': (2.0, 1.0)}), ValueError, 'maxTorque'),
    (lambda b: b.randomize({'arm/shoulder.maxTorque': 3.0}), TypeError, 'low, high'),
    (lambda b: b.failure(4), IndexError, '4'),
    (lambda b: b.save(-1), IndexError, 'instance -1 of 4'),
    (lambda b: b.actions.__setitem__((0, 5), 1.0), IndexError, 'out of bounds'),
])
def test_what_is_wrong_is_said(call, error, message):
    batch = make()
    before = batch.observations.copy()
    with pytest.raises(error, match=message):
        call(batch)
    batch.step()
    assert batch.observations.shape == before.shape


@pytest.mark.parametrize('call, error', [
    (lambda: servosim.Batch(ARM, 0), ValueError),
    (lambda: servosim.Batch(ARM, 2, threads=0), ValueError),
    (lambda: servosim.Batch(ARM, 2, control_step_ms=0.5), ValueError),
    (lambda: servosim.Batch(ARM, 2, dtype=np.int32), TypeError),
    (lambda: servosim.Batch(ARM, 2, dtype='f4,,'), TypeError),
    (lambda: servosim.Batch(WORLDS / 'none.wbt', 2), servosim.LoadError),
    (lambda: servosim.Batch(ARM, 2, no_such_option=1), TypeError),
])
def test_no_batch_is_made_of_what_is_wrong(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize('load', [{}, {'integrator': 'joint', 'evaluations': 1}])
def test_an_instance_is_read_and_changed_as_a_simulation(load):
    world = WORLDS / 'pendulum.wbt'
    load = {**load, 'settings': {'WorldInfo.physicsDisableTime': 0}}
    batch, twin = (servosim.Batch(world, 3, seed=5, **load) for _ in range(2))
    for each in (batch, twin):
        each.bind(observe=['*.position', '*.velocity'])
        for _ in range(7):
            each.step()
    assert batch.lanes()['instances'] == (3 if 'integrator' in load else 0)
    alone = servosim.Simulation(world, seed=6, **load)
    alone.step(7)
    with batch.simulation(1) as sim:
        assert isinstance(sim, servosim.Simulation)
        assert sim.time == alone.time and sim.state_hash() == alone.state_hash()
        assert (sim.joint_positions == alone.joint_positions).all()
        for one in (sim, alone):
            list(one.joints.values())[0].set_state(0.3, -0.2)
            one.step(2)
        path = sim.world
    assert path == str(world)
    for each in (batch, twin):
        each.step()
    alone.step()
    row = np.concatenate([alone.joint_positions, alone.joint_velocities])
    assert (batch.observations[1] == row).all()
    assert (batch.observations[[0, 2]] == twin.observations[[0, 2]]).all()
    assert (batch.observations[1] != twin.observations[1]).all()
    assert batch.times[1] == alone.time
    with batch.simulation(1) as sim:
        assert sim.state_hash() == alone.state_hash()


def test_an_instance_is_used_in_its_block_alone(tmp_path):
    batch = make(2)
    batch.step()
    with pytest.raises(IndexError, match='instance 2 of 2'):
        batch.simulation(2)
    block = batch.simulation(1)
    with block as sim:
        shoulder, positions = sim.joints['arm/shoulder'], sim.joint_positions
        recording = sim.record(tmp_path / 'one.svt')
        for use in (batch.step, batch.reset, lambda: batch.save(0), lambda: batch.simulation(0)):
            with pytest.raises(servosim.InUseError, match='has one of its instances'):
                use()
        sim.step()
        with pytest.raises(RuntimeError, match='begins once'):
            block.__enter__()
    kept = positions.copy()
    batch.step()
    assert recording.path and (positions == kept).all()
    for use in (sim.step, sim.save, lambda: sim.time, lambda: sim.joint_positions, lambda: shoulder.position,
                lambda: sim.clone(), lambda: servosim.Batch(sim, 1)):
        with pytest.raises(servosim.InUseError, match='its block has ended'):
            use()
    repr(sim), repr(shoulder), repr(sim.world)
    with pytest.raises(RuntimeError, match='begins once'):
        block.__enter__()
    with pytest.raises(ZeroDivisionError), batch.simulation(0) as sim:
        1 / 0
    batch.step()
    batch.simulation(0).__enter__()  # it ends as soon as nothing refers to it
    gc.collect()
    batch.step()


def test_a_signal_handler_may_not_use_the_batch_that_it_interrupts():
    batch = servosim.Batch(ARM, 1, dtype=np.float32)
    batch.bind(observe=['time'], act=ACT[:1])
    steps = 40_000_000  # takes far longer than the test
    zeros = np.zeros((1, steps, batch.actions.shape[1]), dtype=np.float32)
    # The signal repeats, because the first signals may come before the rollout begins.
    before = signal.signal(signal.SIGALRM, lambda number, frame: batch.step())
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        with pytest.raises(servosim.InUseError, match='signal handler'):
            batch.rollout(zeros)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert batch.times.max() < steps * batch.control_step_ms / 1000.0
    batch.step()


def test_ctrl_c_ends_a_rollout_which_another_thread_is_refused():
    batch = servosim.Batch(ARM, 1, dtype=np.float32)
    batch.bind(observe=['time'], act=ACT[:1])
    # This takes far longer than the test. The memory of zeros is not touched before its rows are read.
    steps = 40_000_000
    actions = np.zeros((1, steps, batch.actions.shape[1]), dtype=np.float32)

    def meanwhile():
        for use in (batch.step, batch.reset, lambda: batch.save(0), lambda: batch.observations):
            with pytest.raises(servosim.InUseError, match='in use'):
                use()

    interrupted(lambda: batch.rollout(actions), lambda: batch.times, meanwhile)
    assert batch.times.max() < steps * batch.control_step_ms / 1000.0
    batch.step()
