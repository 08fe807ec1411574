# SPDX-License-Identifier: Apache-2.0
"""Texts that a user sees: errors of wrong calls, repr(), and tables in notebooks."""
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import servosim
from conftest import WORLDS, interrupted
from servosim.tasks import CART_POLE, Episodes

ARM = WORLDS / 'arm.wbt'
RAW = ('incompatible', 'supported', 'Invoked with', 'servosim._servosim', 'Unable to cast', 'C++')


@pytest.fixture
def batch():
    made = servosim.Batch(ARM, 3, seed=5)
    made.bind(observe=['arm/*.position', 'time'], act=['arm/shoulder.target_position'])
    return made


def refused(call, error, *says):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert '\n' not in text and not any(raw in text for raw in RAW), text
    for part in says:
        assert part in text, text


@pytest.mark.parametrize('call, error, says', [
    (lambda: servosim.Batch(ARM, -1), ValueError, 'Batch(): n is a number of instances, 1 or more, not -1'),
    (lambda: servosim.Batch(ARM, 'x'), TypeError, "Batch(): n is a whole number of 64 bits, not 'x'"),
    (lambda: servosim.Batch(ARM, 2**70), ValueError, 'Batch(): n is a whole number'),
    (lambda: servosim.Batch(ARM, 2.5), TypeError, 'n is a whole number of 64 bits, not 2.5'),
    (lambda: servosim.Batch(ARM), TypeError, 'Batch(): n is missing'),
    (lambda: servosim.Batch(ARM, 2, threads=-3), ValueError, 'threads is a whole number from 0 on, not -3'),
    (lambda: servosim.Batch(ARM, 2, 3), TypeError, 'Batch() takes world, n, threads'),
    (lambda: servosim.Batch(ARM, 2, thread=1), TypeError, "no argument 'thread'"),
    (lambda: servosim.Batch(7, 2), TypeError, 'Simulation(): world is a path, not 7'),
    (lambda: servosim.Simulation(), TypeError, 'Simulation(): world is missing: it is a path'),
    (lambda: servosim.Simulation(ARM, seed='x'), TypeError,
     "Simulation(): seed is a whole number of 64 bits or None, not 'x'"),
    (lambda: servosim.Simulation(ARM, seed=2**63), ValueError, 'seed is a whole number of 64 bits'),
    (lambda: servosim.Simulation(ARM, solver='magic'), ValueError, "'tree' or 'ode', not 'magic'"),
    (lambda: servosim.Simulation(ARM, sed=3), TypeError, "no argument 'sed'; did you mean 'seed'?"),
    (lambda: servosim.Simulation(ARM, notice=3), TypeError, 'notice is a function of one text or None, not 3'),
    (lambda: servosim.Simulation(ARM, proto_paths='x'), TypeError, "proto_paths is a list of paths, not 'x'"),
    (lambda: servosim.Simulation.from_text(5), TypeError, 'Simulation.from_text(): text is a text, not 5'),
    (lambda: servosim.Batch.step(), TypeError, 'Batch.step() is a method: call it of a Batch'),
    (lambda: servosim.Batch.step(3), TypeError, 'Batch.step() is a method of a Batch, not of 3'),
    (lambda: servosim.Simulation.step(), TypeError, 'step'),
    (lambda: servosim.Simulation.save(), TypeError, 'Simulation.save() is a method'),
    (lambda: servosim.Joint(), TypeError, 'an object of the class Joint is not made by a call'),
])
def test_what_is_wrong_with_making_is_said(call, error, says):
    refused(call, error, says)


@pytest.mark.parametrize('call, error, says', [
    (lambda b: b.bind(observe='x'), TypeError, "Batch.bind(): observe is a list of texts, not 'x'"),
    (lambda b: b.bind(act=[1, 2]), TypeError, 'Batch.bind(): act is a list of texts, not [1, 2]'),
    (lambda b: b.bind(obs=['time']), TypeError, "Batch.bind() has no argument 'obs'; did you mean 'observe'?"),
    (lambda b: b.bind([], [], []), TypeError, 'Batch.bind() takes observe, act'),
    (lambda b: b.bind([], observe=[]), TypeError, "'observe' twice"),
    (lambda b: b.bind(observe=['arm/elbow.postion']), ValueError, "did you mean 'arm/elbow.position'?"),
    (lambda b: b.bind(observe=['arm.linear_veloctiy']), ValueError, "did you mean 'arm.linear_velocity'?"),
    (lambda b: b.bind(act=['arm/*.target_postion']), ValueError, "did you mean 'arm/*.target_position'?"),
    (lambda b: b.step(3), TypeError, 'Batch.step() takes no arguments'),
    (lambda b: b.save(-1), IndexError, 'instance -1 of 3'),
    (lambda b: b.failure('a'), TypeError, "Batch.failure(): instance is a whole number of 64 bits, not 'a'"),
    (lambda b: b.solid_poses(3), IndexError, 'instance 3 of 3'),
    (lambda b: b.set('arm/elbow.maxTorque', 'x'), TypeError, "values is an array of numbers, not 'x'"),
    (lambda b: b.randomize(3), TypeError, 'Batch.randomize(): ranges is a dict, not 3'),
    (lambda b: b.rollout('x'), ValueError, '(n, t, k)'),
    (lambda b: b.rollout(np.zeros((3, 2, 1), np.float32)), TypeError,
     'Batch.rollout(): actions is an array of float64, the dtype of this batch, not of float32: '
     'convert it by astype(batch.dtype)'),
    (lambda b: b.reset(seeds=[2**63, 0, 1]), ValueError, 'seed 9223372036854775808 of instance 0 is out of range'),
    (lambda b: b.reset(seeds=np.full(3, 2**63, np.uint64)), ValueError, '9223372036854775808'),
    (lambda b: b.reset(seeds=['a', 'b', 'c']), TypeError, "a seed is a whole number, not 'a'"),
    (lambda b: b.reset(seeds=4), TypeError, 'seeds is a whole number for each of 3 instances, not 4'),
    (lambda b: b.record(rate='x'), TypeError, "Batch.record(): rate is a number, not 'x'"),
    (lambda b: b.record(rate=-1.0), ValueError, 'rate is a number of frames'),
    (lambda b: b.record('a.txt'), ValueError, '.svt'),
])
def test_what_is_wrong_with_a_batch_is_said(batch, call, error, says):
    before = batch.times.copy()
    refused(lambda: call(batch), error, says)
    batch.step()
    assert (batch.times > before).all()


@pytest.mark.parametrize('call, error, says', [
    (lambda s: setattr(s.joints[0], 'target', 'x'), TypeError, "Joint.target is a number, not 'x'"),
    (lambda s: setattr(s.joints[0], 'pid', [1, 2]), TypeError, 'Joint.pid is 3 numbers, not [1, 2]'),
    (lambda s: s.joints[0].set_state('x'), TypeError, "Joint.set_state(): position is a number, not 'x'"),
    (lambda s: s.joints[1.5], TypeError, 'a joint is found by its name or its number, not by 1.5'),
    (lambda s: s.joints['\ud800'], TypeError, 'a joint is found by its name'),
    (lambda s: s.joints[2**70], IndexError, ''),
    (lambda s: setattr(s.solids[0], 'pose', 'x'), TypeError, "Solid.pose is an array of numbers, not 'x'"),
    (lambda s: s.solids[0].add_force('x'), TypeError, "Solid.add_force(): force is an array of numbers, not 'x'"),
    (lambda s: s.sensors[0].enable('x'), TypeError, "Sensor.enable(): period_ms is a whole number of 32 bits or None"),
    (lambda s: s.fields[5], TypeError, 'Fields.__getitem__() is a text, not 5'),
    (lambda s: s.restore('x'), TypeError, "Simulation.restore(): state is bytes, not 'x'"),
    (lambda s: s.trace(5), TypeError, 'Simulation.trace(): path is a path, not 5'),
    (lambda s: s.trace('a.csv', watch='arm/*'), TypeError, "watch is a list of texts, not 'arm/*'"),
    (lambda s: s.step('x'), TypeError, "Simulation.step(): n is a whole number from 0 on, not 'x'"),
    (lambda s: s.save(1), TypeError, 'Simulation.save() takes no arguments'),
    (lambda s: setattr(s, 'joint_targets', 'x'), TypeError, 'Simulation.joint_targets is an array of numbers'),
])
def test_what_is_wrong_with_a_simulation_is_said(arm, call, error, says):
    before = arm.state_hash()
    refused(lambda: call(arm), error, says)
    assert arm.state_hash() == before


def test_a_batch_without_columns_is_not_stepped_unseen():
    batch = servosim.Batch(ARM, 2)
    for call in (batch.step, lambda: batch.rollout(np.zeros((2, 3, 0))), lambda: batch.observations,
                 lambda: setattr(batch, 'actions', 0.5)):
        refused(call, RuntimeError, 'bind(')
    batch.bind()
    batch.step()
    assert batch.times[0] > 0


@pytest.mark.skipif('LD_PRELOAD' in os.environ, reason='ASan needs more space for addresses')
def test_a_batch_that_needs_more_memory_than_there_is_is_refused_before():
    code = ('import resource, servosim, sys\n'
            'resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n'
            'def taken():\n'
            '    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()\n'
            'sim = servosim.Simulation(sys.argv[1])\n'
            'before = taken()\n'
            'try:\n'
            '    servosim.Batch(sim, 10**6)\n'
            'except MemoryError as error:\n'
            '    print(taken() - before < 64e6, error)\n'
            'batch = servosim.Batch(sim, 5000)\n'
            'try:\n'
            '    batch.bind(observe=["arm/*.position"] * 100000)\n'
            'except MemoryError as error:\n'
            '    print(error)\n'
            'batch.bind(observe=["time"])\n'
            'batch.step()\n')
    done = subprocess.run([sys.executable, '-c', code, ARM], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('True a batch of 1000000 instances needs about ')
    assert ' GB are free: make a smaller one' in done.stdout
    assert 'a batch of 5000 instances with 300000 columns needs' in done.stdout


def test_making_a_batch_can_be_interrupted(arm):
    interrupted(lambda: servosim.Batch(arm, 200_000), lambda: arm.time)
    arm.step()


def test_everything_has_a_repr(arm, batch, tmp_path):
    for thing, text in [
            (arm, f"<Simulation of '{ARM}'>"), (batch, f"<Batch of 3 instances of '{ARM}'>"),
            (arm.joints, "<Joints of 3 joints: 'arm/shoulder', "), (arm.joints[0], "<Joint 'arm/shoulder'>"),
            (arm.fields, f"<Fields of '{ARM}'>"), (arm.solids['arm'], "<Solid 'arm'>"),
            (arm.trace(tmp_path / 'a.csv'), f"<Trace '{tmp_path}/a.csv'>"),
            (arm.record(), '<Recording in memory>'),
            (servosim.Simulation.from_text('#VRML_SIM R2023b utf8\nWorldInfo { }'), '<Simulation of a text>'),
            (Episodes(CART_POLE, 2), "<Episodes of 2 instances of 'cart_pole.wbt'>")]:
        assert repr(thing).startswith(text)
    for cls in vars(servosim).values():
        if isinstance(cls, type):
            assert cls.__repr__ is not object.__repr__, cls


def test_a_repr_is_given_while_it_steps(arm):
    things = [arm, arm.joints, arm.joints[0], arm.solids, arm.sensors, arm.fields, arm.record(), arm.trace('/dev/null')]

    def meanwhile():
        assert all(repr(thing).startswith('<') for thing in things)

    interrupted(lambda: arm.step(10**12), lambda: arm.time, meanwhile)


def test_arrays_are_tables_in_a_notebook(arm, batch):
    html = arm.joint_positions._repr_html_()
    assert html.startswith('<table>') and '<th>arm/elbow</th><td>0</td>' in html
    html = arm.solid_poses._repr_html_()
    assert '<th>qw</th>' in html and html.count('<tr>') == len(arm.solids) + 1
    html = batch.observations._repr_html_()
    assert '<th>arm/shoulder.position</th>' in html and '<th>2</th>' in html
    assert '<th>arm/shoulder.target_position</th>' in batch.actions._repr_html_()
    for part in (arm.joint_positions[1:], arm.joint_positions * 2, batch.observations.T):
        assert getattr(part, '_repr_html_', lambda: None)() is None
    assert type(pickle.loads(pickle.dumps(batch.observations))) is np.ndarray
    many = servosim.Batch(ARM, 100)
    many.bind(observe=['arm/*.position', 'arm.pose', 'arm.linear_velocity'])
    html = many.observations._repr_html_()
    assert html.count('<tr>') == 22 and '80 more rows' in html and '<th>…</th>' in html


def test_names_are_text_in_a_table():
    sim = servosim.Simulation.from_text(
        (WORLDS / 'pendulum.wbt').read_text().replace('"pivot"', '"<b>pivot</b>"'))
    html = sim.joint_positions._repr_html_()
    assert '&lt;b&gt;pivot&lt;/b&gt;' in html and '<b>' not in html


def test_episodes_are_a_table_in_a_notebook():
    episodes = Episodes(CART_POLE, 3)
    episodes.reset()
    for _ in range(4):
        episodes.step(np.zeros((3, 1)))
    html = episodes._repr_html_()
    assert html.count('<tr>') == 4 and '<td>4</td><td>0.08</td>' in html
