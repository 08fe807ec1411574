# SPDX-License-Identifier: Apache-2.0
"""Inputs and programs that try to break the module cause clear errors and neither a crash nor a leak."""
import copy
import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import servosim
from conftest import WORLDS

ARM = WORLDS / 'arm.wbt'


def run(code, *arguments, status=0):
    """Returns the output of a program, which gets the path of a world."""
    done = subprocess.run([sys.executable, '-c', code, ARM, *arguments], text=True, capture_output=True)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


# ---- settings

def endless():
    values = []
    values.append(values)
    return values


def nested(kind, depth):
    value = kind([1.0])
    for _ in range(depth):
        value = kind([value])
    return value


class ItsOwnList:
    def tolist(self):
        return self


def endless_array():
    array = np.empty(1, dtype=object)
    array[0] = array
    return array


@pytest.mark.parametrize('value', [
    endless(), (endless(),), nested(list, 3), nested(tuple, 3), nested(list, 200_000), nested(tuple, 200_000),
    ItsOwnList(), [ItsOwnList()], endless_array(), np.ones((2, 2)), {'a': 1}, [[1.0, 2.0]], ((1.0,),), 1j, b'3'],
    ids=lambda value: type(value).__name__)
def test_settings_of_settings_are_refused(value):
    for call in (lambda: servosim.Simulation(ARM, settings={'WorldInfo.title': value}),
                 lambda: servosim.Batch(ARM, 2, settings={'WorldInfo.title': value})):
        with pytest.raises(TypeError, match='a setting is a number, a text') as caught:
            call()
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize('number', [10**5000, -10**5000], ids=['large', 'small'])
def test_numbers_of_thousands_of_digits_are_refused(arm, number):
    """Python refuses to print such numbers."""
    with pytest.raises(TypeError, match='a setting is a number.*not an int of 16610 bits'):
        servosim.Simulation(ARM, settings={'WorldInfo.basicTimeStep': number})
    for wrong in (lambda: servosim.Batch(ARM, number), lambda: servosim.Batch(ARM, 2, threads=number),
                  lambda: servosim.Simulation(ARM, seed=number), lambda: arm.step(number),
                  lambda: servosim.Batch(ARM, 2).reset(seeds=[number, number]),
                  lambda: arm.fields.__setitem__('WorldInfo.basicTimeStep', number),
                  lambda: arm.joints['shoulder'].set_state(number), lambda: arm.record(rate=number),
                  lambda: arm.joints[number], lambda: arm.solids[number], lambda: arm.fields[number],
                  lambda: servosim.Simulation(number), lambda: servosim.Simulation(ARM, {number: number}),
                  lambda: servosim.Batch(ARM, 2).randomize({'shoulder.maxTorque': (0, number)})):
        with pytest.raises((TypeError, ValueError, IndexError)) as caught:
            wrong()
        assert '4300' not in str(caught.value)
        assert 'cannot fit' not in str(caught.value) and 'too large' not in str(caught.value)


@pytest.mark.parametrize('error', [MemoryError, KeyboardInterrupt])
def test_what_is_no_fault_of_a_value_stays_what_it_is(error):
    class Number(int):
        def __str__(self):
            raise error

    with pytest.raises(error):
        servosim.Simulation(ARM, settings={'WorldInfo.basicTimeStep': Number(4)})

    class Offset:
        def __index__(self):
            raise error

    with pytest.raises(error):
        servosim.Batch(ARM, 2, dtype={'names': ['a'], 'formats': ['f4'], 'offsets': [Offset()]})


@pytest.mark.parametrize('settings', [3, {3: 4}, {('a', 'b'): 4}, [('WorldInfo.title', 'x')]])
def test_settings_are_a_dict_of_paths(settings):
    with pytest.raises(TypeError, match='settings is a dict of values by path'):
        servosim.Simulation(ARM, settings=settings)


@pytest.mark.parametrize('value', ['[' * 100_000, 'DEF A Solid { children [ ' * 20_000, '\ud800'])
def test_texts_of_settings_may_be_anything(value):
    with pytest.raises(ValueError):
        servosim.Simulation(ARM, settings={'WorldInfo.info': value})


def test_settings_of_numpy_and_in_lists():
    sim = servosim.Simulation(ARM, settings={
        'WorldInfo.gravity': np.float64(3.5), 'Robot.translation': (np.float32(0.5), np.int64(2), 1)})
    assert sim.fields['WorldInfo.gravity'] == 3.5 and sim.fields['Robot.translation'] == (0.5, 2.0, 1.0)


@pytest.mark.parametrize('value', [endless(), nested(list, 100_000), ItsOwnList(), endless_array()])
def test_fields_of_fields_are_refused(arm, value):
    for path in ('WorldInfo.title', 'WorldInfo.info', 'Robot.translation'):
        with pytest.raises((TypeError, ValueError)):
            arm.fields[path] = value
    arm.step()


# ---- objects

def classes():
    return [cls for cls in vars(servosim).values()
            if isinstance(cls, type) and cls.__module__ == 'servosim._servosim']


@pytest.mark.parametrize('cls', classes(), ids=lambda cls: cls.__name__)
def test_objects_without_content_are_refused(arm, cls):
    empty = cls.__new__(cls)
    for name in dir(cls):
        if name.startswith('__'):
            continue
        with pytest.raises(TypeError, match='__init__|argument|missing|method'):
            member = getattr(empty, name)
            if not callable(member):
                raise AssertionError(name)
            member()
    for name in ('__repr__', '__len__', '__iter__', '__enter__', '__copy__'):
        if name in vars(cls):
            try:
                getattr(empty, name)()
            except TypeError:
                pass
    with pytest.raises(TypeError):
        servosim.Batch(empty, 2).bind(3)
    gc.collect()
    del empty


def test_a_class_of_both_has_both():
    class Both(servosim.Batch, servosim.Simulation):
        def __init__(self, *bases):
            for base in bases:
                base.__init__(self, *((ARM, 2) if base is servosim.Batch else (ARM,)))

    both = Both(servosim.Batch, servosim.Simulation)
    both.bind(observe=['time'])
    both.step()
    assert servosim.Simulation.time.fget(both) == 0.0 and list(both.times) == [0.008, 0.008]
    servosim.Simulation.step(both, 3)
    assert servosim.Simulation.time.fget(both) == pytest.approx(0.024)
    assert abs(both.joints['shoulder'].position) < 1e-4
    for bases in ([], [servosim.Batch], [servosim.Simulation]):
        with pytest.raises(TypeError, match='__init__'):
            Both(*bases)

    class Other(servosim.Simulation, servosim.Batch):
        def __init__(self):
            with pytest.raises(TypeError, match='__init__'):
                servosim.Simulation.step(self)
            servosim.Simulation.__init__(self, ARM)
            with pytest.raises(TypeError, match='__init__'):
                servosim.Batch.step(self)
            servosim.Batch.__init__(self, ARM, 1)

    other = Other()
    other.step(2)
    assert other.step_count == 2


# ---- cycles

class Watched:
    """Keeps the simulation that calls it with notices."""

    def __init__(self, keep):
        sim = servosim.Simulation(ARM, notice=self.notice)
        self.got = []
        self.kept = keep(self, sim)

    def notice(self, text):
        self.got.append(text)


def batch_of(sim):
    batch = servosim.Batch(sim, 2)
    batch.bind(observe=['arm/*.position'])
    return batch


@pytest.mark.parametrize('keep', [
    lambda self, sim: sim, lambda self, sim: sim.joints[0], lambda self, sim: sim.solids[0],
    lambda self, sim: sim.sensors[0], lambda self, sim: [sim.joints, sim.fields, sim.solids, sim.sensors],
    lambda self, sim: sim.clone(), lambda self, sim: [sim, copy.copy(sim)], lambda self, sim: batch_of(sim),
    lambda self, sim: [sim, batch_of(sim)], lambda self, sim: servosim.Batch(ARM, 2, notice=self.notice),
    lambda self, sim: [sim.record(), sim], lambda self, sim: [sim.joint_positions, sim],
    lambda self, sim: [setattr(sim.joint_positions, 'kept', self), sim],
], ids=str)
def test_cycles_through_a_notice_are_collected(keep):
    watched = Watched(keep)
    gone = weakref.ref(watched)
    gc.collect()
    assert gone() is not None
    del watched
    gc.collect()
    assert gone() is None


def test_cycles_through_an_array_are_collected():
    sim = servosim.Simulation(ARM)
    sim.solid_poses.kept = sim
    batch = servosim.Batch(sim, 2)
    batch.bind(observe=['time'])
    batch.observations.kept = batch
    gone = [weakref.ref(sim), weakref.ref(batch)]
    del sim, batch
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_cycles_through_an_instance_are_collected():
    told = []
    batch = servosim.Batch(ARM, 2, notice=told.append)
    block = batch.simulation(0)
    sim = block.__enter__()
    sim.solid_poses.kept = [sim, block, batch]
    gone = [weakref.ref(each) for each in (sim, block, batch)]
    gc.collect()
    sim.joints['arm/shoulder'].target_velocity = 1e9
    assert told, 'a collection has left the function of notices'
    del sim, block, batch
    gc.collect()
    assert [one() for one in gone] == [None] * 3


def test_what_is_used_is_not_collected():
    watched = Watched(lambda self, sim: [sim, sim.clone(), batch_of(sim)])
    sim, twin, batch = watched.kept
    got = watched.got
    del watched
    for _ in range(3):
        gc.collect()
    sim.joints[0].target = 9.0
    twin.joints[0].target = 9.0
    assert len(got) == 2
    batch.step()


@pytest.mark.skipif('asan' in os.environ.get('LD_PRELOAD', ''), reason='ASan keeps memory that was freed')
def test_worlds_do_not_pile_up():
    code = ('import gc, resource, servosim, sys\n'
            'class Keeper:\n'
            '    def __init__(self):\n'
            '        self.sim = servosim.Simulation(sys.argv[1], notice=self.notice)\n'
            '        self.joint = self.sim.joints[0]\n'
            '    def notice(self, text): pass\n'
            'def taken():\n'
            '    gc.collect()\n'
            '    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()\n'
            'def use(count):\n'
            '    for i in range(count):\n'
            '        Keeper().sim.step(2)\n'
            '        if i % 10 == 9:\n'
            '            gc.collect()\n'
            'use(100)\n'
            'before = taken()\n'
            'use(100)\n'
            'print((taken() - before) / 100)\n')
    assert float(run(code)) < 20_000  # bytes for each; a simulation that is not freed has more than 100,000


# ---- threads, processes and interpreters

DAEMON = '''
import servosim, threading, time, sys
import numpy as np
{0}
def work():
    while True:
        {1}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep({2})
'''


@pytest.mark.parametrize('made, call', [
    ('sims = threading.local()', 's = servosim.Simulation(sys.argv[1]); s.step(100)'),
    ('s = servosim.Simulation(sys.argv[1])', 's.clone().step(10**12)'),
    ('b = servosim.Simulation(sys.argv[1])',
     'c = servosim.Batch(b.clone(), 3, threads=2); c.bind(observe=["time"]); [c.step() for _ in range(50)]'),
    ('b = servosim.Simulation(sys.argv[1])',
     'c = servosim.Batch(b.clone(), 1); c.bind(observe=["time"]); c.rollout(np.zeros((1, 2000000, 0)))'),
    ('', 'servosim.Simulation(sys.argv[1], notice=time.sleep).joints[0].target = 9.0'),
    ('', 's = servosim.Simulation(sys.argv[1], notice=lambda text: time.sleep(9)); s.joints[0].target = 9.0'),
    ('', 's = servosim.Simulation(sys.argv[1]); s.record(); s.trace("/dev/null"); s.step(10**12)'),
])
@pytest.mark.parametrize('seconds', [0.02, 0.4])
def test_a_daemon_thread_is_at_work_at_the_end(made, call, seconds):
    run(DAEMON.format(made, call, seconds))


def test_the_trace_of_a_daemon_thread_is_whole(tmp_path):
    code = DAEMON.format('s = servosim.Simulation(sys.argv[1]); s.trace(sys.argv[2]); free = [1]',
                         's.step(10**12) if free and free.pop() else time.sleep(9)', 0.4)
    run(code, tmp_path / 'a.csv')
    lines = (tmp_path / 'a.csv').read_text().splitlines()
    assert len(lines) > 10 and {line.count(',') for line in lines} == {lines[0].count(',')}


def test_the_end_may_still_step():
    code = ('import atexit, sys\n'
            'atexit.register(lambda: (sim.step(20), print(sim.step_count)))\n'
            'import servosim\n'
            'sim = servosim.Simulation(sys.argv[1])\n'
            'class Late:\n'
            '    def __del__(self):\n'
            '        self.sim.step(5)\n'
            'late = Late()\n'
            'late.sim = sim.clone()\n')
    assert run(code) == '20\n'


SUBINTERPRETER = '''
import sys
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
{0}
try:
    interpreter = interpreters.create(isolated=False)
except TypeError:
    interpreter = interpreters.create('legacy')
code = """if True:
    import warnings
    warnings.simplefilter("ignore")
    sys_path = {{path!r}}
    import sys
    sys.path[:] = sys_path
    try:
        import servosim
        print("loaded")
    except ImportError as error:
        print(error)
""".format(path=sys.path)
interpreters.run_string(interpreter, code)
interpreters.destroy(interpreter)
{1}
'''


@pytest.mark.parametrize('first, last', [
    ('import servosim', 's = servosim.Simulation(sys.argv[1]); s.step(3); print(s.step_count)'),
    ('', ''), ('import numpy', 'print(3)')])
def test_a_subinterpreter_is_told(first, last):
    lines = run(SUBINTERPRETER.format(first, last)).splitlines()
    assert any('subinterpreter' in line for line in lines) and 'loaded' not in lines, lines
    assert not last or lines[-1] == '3'


def test_seeds_out_of_range():
    gymnasium = pytest.importorskip('gymnasium')
    import servosim.gym
    env = gymnasium.make('servosim/CartPole-v0')
    with pytest.raises(ValueError, match='2\\*\\*63'):
        env.reset(seed=2**63)
    envs = servosim.gym.make_task_vector('CartPole-v0', num_envs=2)
    for seed in (2**63, 2**63 - 1, [1, 2**64]):
        with pytest.raises(ValueError, match='2\\*\\*63'):
            envs.reset(seed=seed)
