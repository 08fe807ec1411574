# SPDX-License-Identifier: Apache-2.0
"""Threads, signals and processes."""
import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest

import servosim
from conftest import WORLDS, interrupted


HOURS = 10**12  # steps


def test_another_thread_is_refused_while_it_steps(arm):
    arrays = arm.joint_positions
    joint, solid, sensor = arm.joints[0], arm.solids[0], arm.sensors[0]
    uses = [
        arm.step, arm.save, arm.clone, arm.reset, arm.state_hash, lambda: arm.restore(b''),
        lambda: arm.time, lambda: joint.position, lambda: setattr(joint, 'target', 0.5),
        lambda: setattr(joint, 'max_torque', 5.0), lambda: solid.pose,
        lambda: solid.add_force([1, 0, 0]), sensor.enable, lambda: sensor.value,
        lambda: arm.fields['arm.name'], lambda: list(arm.joints), lambda: arm.joints['arm/elbow'],
        lambda: arm.joint_velocities, lambda: setattr(arm, 'joint_targets', [0, 0, 0]),
        lambda: joint.set_state(0.5), lambda: arm.trace('/dev/null'), lambda: arm.diagnostics,
        lambda: arm.fields.__setitem__('arm.name', 'x'), lambda: solid.contact_points(),
    ]

    def meanwhile():
        for use in uses:
            with pytest.raises(servosim.InUseError, match='thread'):
                use()
        assert np.isfinite(arrays).all()

    interrupted(lambda: arm.step(HOURS), lambda: arm.time, meanwhile)


def test_simulations_run_in_threads_as_alone(arm):
    alone = arm.clone()
    alone.step(500)
    twins = [arm.clone() for _ in range(4)]
    threads = [threading.Thread(target=twin.step, args=(500,)) for twin in twins]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {twin.state_hash() for twin in twins} == {alone.state_hash()}


def test_notices_arrive_from_a_stepping_thread():
    got = []
    sim = servosim.Simulation.from_text(
        (WORLDS / 'arm.wbt').read_text().replace('controller "arm"',
                                                 'controller "arm" battery [ 0.5 0.5 0 ]'),
        WORLDS, notice=lambda text: got.append((text, threading.current_thread())))
    sim.joints[0].target = 1.0
    thread = threading.Thread(target=sim.step, args=(2000,))
    thread.start()
    thread.join()
    assert ['battery' in text for text, who in got if who is thread] == [True]


def test_a_notice_may_not_use_its_simulation():
    errors = []

    def use(text):
        try:
            sim.step()
        except servosim.InUseError as error:
            errors.append(error)

    sim = servosim.Simulation(WORLDS / 'arm.wbt', notice=use)
    sim.joints[0].target = 99.0
    assert len(errors) == 1 and sim.step_count == 0


def test_ctrl_c_ends_a_long_step_between_two_steps(arm):
    twin = arm.clone()
    positions = arm.joint_positions
    for sim in (arm, twin):
        sim.joint_targets = [0.5, -0.25, 0.0625]
    interrupted(lambda: arm.step(HOURS), lambda: arm.time)
    assert arm.step_count < HOURS
    assert positions[0] == arm.joints[0].position
    twin.step(arm.step_count)
    assert twin.state_hash() == arm.state_hash()
    arm.step()


def test_a_handler_that_goes_on_does_not_end_the_step(arm):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    try:
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        while not seen:
            arm.step(20000)
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert arm.step_count % 20000 == 0


def in_child(work):
    """Returns the repr() of the result of `work` in a forked process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return answer


def test_a_forked_process_goes_on_as_its_parent(arm):
    arm.step(10)
    state = arm.save()

    def work():
        arm.step(50)
        return arm.state_hash()

    def from_state():
        arm.restore(state)
        return work()

    there = in_child(work)
    assert there == in_child(from_state) == repr(work())
    arm.restore(state)
    assert repr(work()) == there


def test_a_fork_while_another_thread_steps_gives_a_clear_error(arm):
    there = []

    def work():
        try:
            arm.step()
        except servosim.InUseError as error:
            return 'refused' if 'fork' in str(error) else str(error)
        return 'stepped'

    interrupted(lambda: arm.step(HOURS), lambda: arm.time, lambda: there.append(in_child(work)))
    assert there == [repr('refused')]


def _hash_of(world):
    sim = servosim.Simulation(world, seed=3)
    sim.step(40)
    return sim.state_hash()


@pytest.mark.parametrize('method', ['fork', 'spawn'])
def test_worker_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        hashes = pool.map(_hash_of, [str(WORLDS / 'arm.wbt')] * 3)
    assert set(hashes) == {_hash_of(str(WORLDS / 'arm.wbt'))}
