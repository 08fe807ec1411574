# SPDX-License-Identifier: Apache-2.0
"""Sweeps and searches on two worker processes of this computer."""
import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import sys

import pytest

distributed = pytest.importorskip('distributed', reason='there is no Dask (python3-distributed)')

import servosim.distributed  # noqa: E402
from conftest import WORLDS  # noqa: E402
from servosim import _worker  # noqa: E402
from servosim._servosim import _ResultsFile  # noqa: E402

# Debian's Dask causes these warnings with this version of tornado.
pytestmark = pytest.mark.filterwarnings('ignore::DeprecationWarning', 'ignore::ResourceWarning')

WORLD = """#VRML_SIM R2023b utf8
EXTERNPROTO "../protos/Pendulum.proto"
WorldInfo { basicTimeStep 2 }
Pendulum { name "a" }
"""
PENDULUM = """#VRML_SIM R2023b utf8
# template language: javascript
EXTERNPROTO "Weight.proto"
PROTO Pendulum [ field SFString name "a" field SFFloat length 0.5 field SFBool heavy FALSE ] {
  Robot {
    name IS name
    controller "<none>"
    children [
      HingeJoint {
        jointParameters HingeJointParameters { axis 0 1 0 dampingConstant 0.01 }
        endPoint Solid {
          translation %<= fields.length.value >% 0 0
          name "bob"
          children [
            Shape { geometry Sphere { radius 0.05 } }
            %< if (fields.heavy.value) { >%
              Weight { }
            %< } >%
          ]
          boundingObject Sphere { radius 0.05 }
          physics Physics { density -1 mass 0.25 }
        }
      }
    ]
  }
}
"""
WEIGHT = """#VRML_SIM R2023b utf8
PROTO Weight [ ] {
  Solid {
    translation 0.125 0 0
    name "weight"
    boundingObject Mesh { url "meshes/weight.obj" }
    physics Physics { density -1 mass 0.75 }
  }
}
"""
MESH = 'v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n'
PARAMETERS = {'Pendulum.length': '0.25:0.75:5', 'Pendulum.heavy': [False, True]}
OPTIONS = {'seeds': range(1, 4), 'duration': 2.0}
RUNS = 5 * 2 * 3


@pytest.fixture(scope='module')
def client(tmp_path_factory):
    # The cluster uses any free port, since other tests have clusters at the same time. Dask of today has an
    # HTTP server even without a dashboard.
    with distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, host='127.0.0.1', dashboard_address='127.0.0.1:0',
            local_directory=str(tmp_path_factory.mktemp('workers'))) as cluster:
        with distributed.Client(cluster) as made:
            yield made


@pytest.fixture(autouse=True)
def whole_cluster(client):
    """The nanny replaces a worker that a test has killed or changed."""
    yield
    client.wait_for_workers(2, timeout=120)


@pytest.fixture
def world(tmp_path):
    for name, text in (('worlds/swing.wbt', WORLD), ('protos/Pendulum.proto', PENDULUM),
                       ('protos/Weight.proto', WEIGHT), ('protos/meshes/weight.obj', MESH)):
        path = tmp_path / 'project' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / 'project/worlds/swing.wbt'


def plain(world, path, parameters=PARAMETERS, load={}, **options):
    """Runs the same sweep in this process."""
    sweep, _ = servosim.distributed._make_job(
        world, load, parameters=servosim.distributed._parameter_texts(parameters),
        seeds=servosim.distributed._seed_text(options.pop('seeds', '')),
        **{'duration': None, 'steps': None, 'watch': [], 'allow_missing': [], **options})
    results = _ResultsFile(path, sweep, False)
    results.add(sweep.run(range(len(sweep))))
    results.close()
    return rows_of(path)


def rows_of(path):
    """Returns the rows by their run, as texts, without what a clock has measured."""
    if path.suffix == '.jsonl':
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        with open(path, newline='') as file:
            rows = list(csv.DictReader(file))
    numbers = [int(row['run']) for row in rows]
    assert len(set(numbers)) == len(numbers), 'a row is there twice'
    for row in rows:
        del row['wall_time']
    return dict(sorted(zip(numbers, rows)))


@pytest.mark.parametrize('count', [1, 2], ids=['one', 'both'])
def test_equals_the_plain_sweep_though_workers_are_killed(client, world, tmp_path, count):
    killed = []

    def kill(done, total):
        if done >= total // 2 and not killed:
            killed.extend(list(client.run(os.getpid).values())[:count])
            for process in killed:
                os.kill(process, signal.SIGKILL)

    options = dict(OPTIONS, duration=20.0)
    result = servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv',
                                        progress=kill, task_seconds=0.1, **options)
    assert len(killed) == count and result == (RUNS, RUNS, 0, 0, 0)
    rows = rows_of(tmp_path / 'a.csv')
    assert list(rows) == list(range(RUNS))
    assert rows == plain(world, tmp_path / 'b.csv', **options)
    assert len({row['state_hash'] for row in rows.values()}) == 5 * 2


def test_goes_on_where_it_was_ended(client, world, tmp_path):
    output = tmp_path / 'a.jsonl'
    seen = []

    def stop(done, total):
        seen.append((done, total))
        if done >= 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        servosim.distributed.sweep(client, world, PARAMETERS, output=output, progress=stop,
                                   task_seconds=0.01, **OPTIONS)
    assert seen[-1][1] == RUNS and 7 <= len(rows_of(output)) < RUNS
    with pytest.raises(ValueError, match='a.jsonl'):
        servosim.distributed.sweep(client, world, PARAMETERS, output=output, **OPTIONS)
    with pytest.raises(ValueError, match='another sweep'):
        servosim.distributed.sweep(client, world, PARAMETERS, output=output, resume=True, seeds='8..9')
    seen.clear()
    result = servosim.distributed.sweep(client, world, PARAMETERS, output=output, resume=True,
                                        progress=lambda *now: seen.append(now), **OPTIONS)
    assert result.runs == RUNS and seen[0][0] > 7 and seen[-1] == (RUNS, RUNS)
    assert rows_of(output) == plain(world, tmp_path / 'b.jsonl', **OPTIONS)
    assert servosim.distributed.sweep(client, world, PARAMETERS, output=output, resume=True,
                                      progress=pytest.fail, **OPTIONS) == result


def test_a_task_that_loses_its_workers_ends_the_sweep_and_resuming_finishes_it(client, world, tmp_path):
    scheduler = client.cluster.scheduler
    usual, scheduler.allowed_failures = scheduler.allowed_failures, 0
    killed = []

    def kill_one(done, total):
        if not killed:
            pids = client.run(os.getpid)
            busy = next((who for who, tasks in client.processing().items() if tasks), None)
            if busy is not None:
                killed.append(pids[busy])
                os.kill(pids[busy], signal.SIGKILL)

    long = dict(OPTIONS, duration=600.0)
    try:
        with pytest.raises(servosim.distributed.WorkerError, match='lost while .* tcp://127.0.0.1'):
            servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv',
                                       progress=kill_one, task_seconds=0.05, **long)
    finally:
        scheduler.allowed_failures = usual
    assert 0 < len(rows_of(tmp_path / 'a.csv')) < RUNS
    servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv', resume=True, **long)
    assert rows_of(tmp_path / 'a.csv') == plain(world, tmp_path / 'b.csv', **long)


def test_each_worker_gets_the_files_once(client, world, tmp_path):
    def unpacked(dask_worker):
        folder = pathlib.Path(dask_worker.local_directory) / 'servosim'
        return sorted((str(path.relative_to(folder)), path.stat().st_mtime_ns)
                      for path in folder.rglob('*') if path.is_file()) if folder.exists() else []

    before = {who: len(files) for who, files in client.run(unpacked).items()}
    world.write_text(WORLD + '# of this test\n')
    servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv', **OPTIONS)
    first = client.run(unpacked)
    for who, files in first.items():
        names = [name for name, _ in files]
        assert len(files) - before.get(who, 0) in (0, 4)
        assert not any('new-' in name for name in names)
    assert any('swing.wbt' in name for files in first.values() for name, _ in files)
    world.with_name('copy.wbt').write_text('')
    servosim.distributed.sweep(client, world, {}, output=tmp_path / 'b.csv', **OPTIONS)
    second = client.run(unpacked)
    for who, files in first.items():
        if len(files) > before.get(who, 0):
            assert second[who] == files, 'they are written again'


def test_folders_of_protos_and_what_templates_read(client, tmp_path):
    library = tmp_path / 'library/protos'
    library.mkdir(parents=True)
    (library / 'deep').mkdir()
    (library / 'length.txt').write_text('0.625')
    (library / 'deep/Weight.proto').write_text(WEIGHT.replace('meshes/', '../'))
    (library / 'weight.obj').write_text(MESH)
    (library / 'Pendulum.proto').write_text(
        PENDULUM.replace('EXTERNPROTO "Weight.proto"', 'EXTERNPROTO "deep/Weight.proto"')
        .replace('fields.length.value', 'wbfile.readTextFile("length.txt")')
        .replace('PROTO Pendulum', '# length.txt\nPROTO Pendulum', 1)
        .replace('  Robot {', "  %< import * as wbfile from 'wbfile.js'; >%\n  Robot {", 1))
    world = tmp_path / 'swing.wbt'
    world.write_text(WORLD.replace('../protos/', 'library/protos/'))
    options = {'duration': 1.0, 'proto_paths': [tmp_path / 'library']}
    rows = plain(world, tmp_path / 'b.csv', {'Pendulum.heavy': 'TRUE'}, {'proto_paths': options['proto_paths']},
                 duration=1.0)
    servosim.distributed.sweep(client, world, {'Pendulum.heavy': 'TRUE'}, output=tmp_path / 'a.csv', **options)
    assert rows_of(tmp_path / 'a.csv') == rows and rows[0]['exit_code'] == '0', rows


def test_runs_that_fail_are_rows_with_the_messages_of_the_plain_sweep(client, world, tmp_path):
    parameters = {'Pendulum.length': [0.5, -1.0, 'far'], 'WorldInfo.gravity': [9.81, 1e300]}
    result = servosim.distributed.sweep(client, world, parameters, output=tmp_path / 'a.csv', steps=100)
    rows = rows_of(tmp_path / 'a.csv')
    assert rows == plain(world, tmp_path / 'b.csv', parameters, steps=100)
    assert result.runs == 6 and result.bad_input >= 2 and result.ok >= 1
    messages = ' '.join(row['message'] for row in rows.values())
    assert 'far' in messages and 'servosim/' not in messages


def test_warnings_of_the_world_are_told(client, world, tmp_path, caplog):
    world.write_text(WORLD + 'Gone { }\n')
    result = servosim.distributed.sweep(client, world, output=tmp_path / 'a.csv', seeds=[1], steps=1)
    assert 'swing.wbt:5:1: warning: ' in caplog.text and "'Gone'" in caplog.text
    assert result.incomplete == 1
    result = servosim.distributed.sweep(client, world, output=tmp_path / 'b.csv', seeds=[1], steps=1,
                                        allow_missing=['protos'])
    assert result.ok == 1


MESH_WORLD = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 2 }
DEF M Solid {
  translation 0 0 1
  boundingObject DEF SHAPE Mesh { url "meshes/a.obj" }
  physics Physics { density 1000 mass -1 }
}
"""


@pytest.fixture
def mesh_world(tmp_path):
    for name, text in (('a', MESH), ('b', MESH.replace('0.1', '0.2')), ('c d', MESH.replace('0.1', '0.3')),
                       ('e', MESH.replace('0.1', '0.4'))):
        path = tmp_path / f'project/meshes/{name}.obj'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    world = tmp_path / 'project/world.wbt'
    world.write_text(MESH_WORLD)
    return world


def test_meshes_that_values_name_are_sent(client, mesh_world, tmp_path):
    options = {'steps': 20}
    for name, parameters in (('list', {'SHAPE.url': ['"meshes/a.obj"', '"meshes/c d.obj"', '[ "meshes/e.obj" ]']}),
                             ('text', {'SHAPE.url': '"meshes/a.obj", "meshes/b.obj"'})):
        servosim.distributed.sweep(client, mesh_world, parameters, output=tmp_path / f'{name}.csv', **options)
        rows = rows_of(tmp_path / f'{name}.csv')
        assert {row['exit_code'] for row in rows.values()} == {'0'}, rows
        assert rows == plain(mesh_world, tmp_path / f'{name}-plain.csv', parameters, **options)
        assert len({row['SHAPE.url'] for row in rows.values()}) == len(rows)
    load = {'settings': {'SHAPE.url': ['meshes/b.obj']}}
    servosim.distributed.sweep(client, mesh_world, {}, output=tmp_path / 'set.csv', seeds='1', **options, **load)
    assert rows_of(tmp_path / 'set.csv') == plain(mesh_world, tmp_path / 'set-plain.csv', {}, load, seeds='1', **options)
    variants = tmp_path / 'variants.csv'
    variants.write_text('SHAPE.url\n"""meshes/b.obj"""\n"[ ""meshes/c d.obj"" ]"\n')
    result = servosim.distributed.sweep(client, mesh_world, output=tmp_path / 'v.csv', variants=variants, **options)
    assert result.ok == 2


def test_a_file_of_variants_that_is_not_utf8(client, world, tmp_path):
    variants = tmp_path / 'variants.csv'
    variants.write_bytes(b'Pendulum.length\n\xff\n0.5\n')
    result = servosim.distributed.sweep(client, world, output=tmp_path / 'a.csv', variants=variants, steps=1)
    assert (result.ok, result.bad_input) == (1, 1)


def test_a_piece_is_not_much_more_than_what_was_measured():
    pieces = servosim.distributed._Pieces(iter(range(1000)), 1000, 2.0)
    assert len(pieces.next(2)) == 1
    pieces.measured(1e-6, 1)
    first = len(pieces.next(2))
    pieces.measured(1e-6, first)
    assert 1 < first < 10 and first < len(pieces.next(2)) < 50
    pieces.measured(100.0, 1)
    assert len(pieces.next(2)) == 1


def test_settings_hold_for_all_runs(client, tmp_path):
    load = {'settings': {'arm.controller': '<none>', 'arm/elbow.position': 0.25}}
    parameters = {'arm/shoulder.position': '0.25:0.75:3'}
    with pytest.raises(ValueError, match=r"arm \(arm\).*'arm.controller': '<none>'"):
        servosim.distributed.sweep(client, WORLDS / 'arm.wbt', parameters, output=tmp_path / 'a.csv')
    servosim.distributed.sweep(client, WORLDS / 'arm.wbt', parameters, output=tmp_path / 'a.csv',
                               duration=0.5, watch=['arm/shoulder'], **load)
    rows = rows_of(tmp_path / 'a.csv')
    assert rows == plain(WORLDS / 'arm.wbt', tmp_path / 'b.csv', parameters, load, duration=0.5,
                         watch=['arm/shoulder'])
    assert [row['arm/shoulder.start'] for row in rows.values()] == ['0.25', '0.5', '0.75']


def set_version(text):
    servosim.__version__ = text


def test_a_worker_with_another_version_is_refused_by_name(client, world, tmp_path):
    one = next(iter(client.scheduler_info()['workers']))
    name = client.scheduler_info()['workers'][one]['name']
    client.run(set_version, '9.8.7', workers=[one])
    try:
        with pytest.raises(servosim.distributed.WorkerError,
                           match=f"worker '{name}' .{one}. has servosim 9.8.7, this process "
                                 f'{servosim.__version__}.*install'):
            servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv')
        # This job arrives after the check.
        _, job = servosim.distributed._make_job(world, {}, parameters=[], seeds='1', duration=None,
                                                steps=1, watch=[], allow_missing=[])
        late = client.submit(_worker.run_rows, job, [0], workers=[one], pure=False)
        with pytest.raises(servosim.distributed.WorkerError, match=f"worker '{name}'.* 9.8.7"):
            late.result()
    finally:
        client.run(set_version, servosim.__version__, workers=[one])


def hide_servosim(hidden):
    import sys
    names = [name for name in sys.modules if name.split('.')[0] == 'servosim']
    if hidden:
        sys.kept = {name: sys.modules.pop(name) for name in names}
        sys.modules['servosim'] = None
    else:
        del sys.modules['servosim']
        sys.modules.update(sys.kept)


def test_a_worker_without_servosim_is_refused_by_name(client, world, tmp_path):
    import cloudpickle
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    one = next(iter(client.scheduler_info()['workers']))
    client.run(hide_servosim, True, workers=[one])
    try:
        with pytest.raises(servosim.distributed.WorkerError, match=f'.{one}. has no servosim'):
            servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv')
    finally:
        client.run(hide_servosim, False, workers=[one])
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize('arguments, error, says', [
    ({'parameters': {'Pendulum.lenght': '1,2'}}, ValueError, 'length'),
    ({'parameters': {'Pendulum.length': []}}, ValueError, 'Pendulum.length'),
    ({'parameters': {'Pendulum.name': ['a,b', 'c']}}, ValueError, "'a,b' of the list is not one value"),
    ({'parameters': {'Pendulum.length': ['0.1:0.4:4']}}, ValueError, 'not one value'),
    ({'parameters': {'Pendulum.length': ['normal(1,2)']}}, ValueError, 'not one value'),
    ({'parameters': {'Pendulum.name': ['[a', 'b]']}}, ValueError, 'is not closed'),
    ({'seeds': '5..1'}, ValueError, '5..1'),
    ({'duration': -1.0}, ValueError, 'duration'),
    ({'task_seconds': 0}, ValueError, 'task_seconds'),
    ({'allow_missing': ['wheels']}, ValueError, "'protos'"),
    ({'colour': 'red'}, TypeError, "'colour'"),
    ({'output': 'no/such/folder/a.csv'}, OSError, 'no/such/folder'),
    ({'output': 'a.txt'}, ValueError, 'csv'),
    ({'world': 'none.wbt'}, servosim.LoadError, 'none.wbt'),
    ({'parameters': {'a.controller': 'x,y'}}, ValueError, 'a.controller'),
])
def test_bad_input(client, world, tmp_path, monkeypatch, arguments, error, says):
    monkeypatch.chdir(tmp_path)
    given = {'world': world, 'output': 'a.csv', 'seeds': '1,2', **arguments}
    with pytest.raises(error, match=says):
        servosim.distributed.sweep(client, given.pop('world'), **given)


# ---- search

SPACE = {'Pendulum.length': (0.25, 1.0), 'Pendulum.heavy': [False, True]}


@pytest.fixture
def study(tmp_path):
    optuna = pytest.importorskip('optuna', reason='there is no optuna (python3-optuna)')
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def make():
        return optuna.create_study(storage=f'sqlite:///{tmp_path}/study.db', study_name='swing',
                                   load_if_exists=True, direction='maximize',
                                   sampler=optuna.samplers.RandomSampler(seed=3))
    return make


def test_search_goes_on_in_its_storage(client, world, tmp_path, study):
    joint = next(column for column in plain(world, tmp_path / 'c.csv', seeds='1', steps=1)[0]
                 if column.endswith('.velocity.max'))

    def stop(done, trials):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        servosim.distributed.search(client, study(), world, SPACE, joint, trials=9, duration=0.5,
                                    progress=stop)
    states = [trial.state.name for trial in study().get_trials()]
    assert states.count('COMPLETE') == 3 and 'RUNNING' in states
    left = [trial.params for trial in study().get_trials() if trial.state.name == 'RUNNING']
    servosim.distributed.search(client, study(), world, SPACE, joint, trials=9, duration=0.5)
    trials = study().get_trials()
    complete = [trial for trial in trials if trial.state.name == 'COMPLETE']
    assert len(complete) == 9 and not any(trial.state.name == 'RUNNING' for trial in trials)
    for params in left:
        assert any(trial.params == params for trial in complete)
    # optuna was told the values of the plain sweep.
    for trial in complete:
        values = {path: [value] for path, value in trial.params.items()}
        (tmp_path / 'd.csv').unlink(missing_ok=True)
        row = plain(world, tmp_path / 'd.csv', values, duration=0.5)[0]
        assert float(row[joint]) == trial.value
    servosim.distributed.search(client, study(), world, SPACE, joint, trials=9, duration=0.5,
                                progress=pytest.fail)
    with pytest.raises(ValueError, match="'swing' is of another world"):
        servosim.distributed.search(client, study(), world, SPACE, joint, trials=9, duration=1.5)


def test_search_by_a_function_over_seeds(client, world, study):
    seen = []

    def objective(rows):
        seen.append([row['seed'] for row in rows])
        return sum(row['simulated_time'] for row in rows)

    made = study()
    servosim.distributed.search(client, made, world, {'Pendulum.length': (0.25, 0.5)}, objective,
                                trials=3, seeds=[4, 6], steps=10)
    assert seen == [[4, 6]] * 3
    assert [trial.value for trial in made.get_trials()] == [pytest.approx(0.04)] * 3


def test_trials_that_fail(client, world, study):
    made = study()
    servosim.distributed.search(client, made, world, {'Pendulum.length': ['far', 'away']}, 'steps',
                                trials=2, steps=10)
    assert [trial.state.name for trial in made.get_trials()] == ['FAIL', 'FAIL']
    assert all('Pendulum.length' in trial.user_attrs['servosim: failure'] for trial in made.get_trials())


@pytest.mark.parametrize('value, reason', [
    (math.nan, 'the objective is NaN'),
    ('far', "the objective is 'far', which is no number"),
    ([1.5, 2.5], 'the objective has 2 values, and the study 1 directions'),
    (None, 'the objective has no value'),
])
def test_trials_without_a_usable_objective_say_why(client, world, study, value, reason):
    made = study()
    servosim.distributed.search(client, made, world, {'Pendulum.length': (0.25, 0.5)}, lambda rows: value,
                                trials=1, steps=10)
    assert [(trial.state.name, trial.user_attrs['servosim: failure']) for trial in made.get_trials()] == [
        ('FAIL', reason)]


def test_trials_that_wait_are_run_first(client, world, study):
    made = study()
    made.enqueue_trial({'Pendulum.length': 0.75})
    servosim.distributed.search(client, made, world, {'Pendulum.length': (0.25, 1.0)}, 'steps', trials=2, steps=1)
    trials = study().get_trials()
    assert [trial.state.name for trial in trials] == ['COMPLETE'] * 2
    assert trials[0].params == {'Pendulum.length': 0.75}


def test_search_sends_the_meshes_of_all_choices(client, mesh_world, study):
    made = study()
    for name in 'abe':
        made.enqueue_trial({'SHAPE.url': f'"meshes/{name}.obj"'})
    choices = [f'"meshes/{name}.obj"' for name in 'abe']
    servosim.distributed.search(client, made, mesh_world, {'SHAPE.url': choices}, 'steps', trials=3, steps=1)
    assert [trial.state.name for trial in made.get_trials()] == ['COMPLETE'] * 3


def test_a_study_of_something_else_is_refused(client, world, study):
    made = study()
    made.optimize(lambda trial: trial.suggest_float('x', 0, 1), n_trials=1)
    with pytest.raises(ValueError, match='not of this module'):
        servosim.distributed.search(client, made, world, {'Pendulum.length': (0.25, 1.0)}, 'steps', trials=2)


@pytest.mark.parametrize('space, objective, says', [
    ({'Pendulum.name': ['x,y', 'z']}, 'steps', "'x,y' of the list"),
    ({'Pendulum.length': 3}, 'steps', 'Pendulum.length'),
    ({'Pendulum.length': (0.1, 0.5)}, 'velocity', "no column 'velocity'"),
])
def test_bad_searches(client, world, study, space, objective, says):
    with pytest.raises(ValueError, match=says):
        servosim.distributed.search(client, study(), world, space, objective, trials=2)


def start(module, *options):
    return subprocess.Popen([sys.executable, '-m', f'distributed.cli.{module}', *options], stdin=subprocess.DEVNULL)


def test_a_scheduler_that_is_lost_is_named(world, tmp_path):
    place = tmp_path / 'scheduler.json'
    started = [start('dask_scheduler', '--host', '127.0.0.1', '--port', '0', '--dashboard-address',
                     '127.0.0.1:0', '--scheduler-file', str(place))]
    started.append(start('dask_worker', '--host', '127.0.0.1', '--no-nanny', '--no-dashboard', '--nthreads', '1',
                         '--local-directory', str(tmp_path), '--death-timeout', '30', '--scheduler-file', str(place)))
    try:
        with distributed.Client(scheduler_file=str(place), timeout=60, set_as_default=False) as client:
            address = client.scheduler.address
            client.wait_for_workers(1, timeout=60)
            client._timeout = 1  # a lost scheduler is given up after this time [s]
            with pytest.raises(servosim.distributed.WorkerError, match=f'scheduler {address} was lost.*resume=True'):
                servosim.distributed.sweep(client, world, PARAMETERS, output=tmp_path / 'a.csv',
                                           progress=lambda done, total: started[0].kill(), **OPTIONS)
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
    assert 0 < len(rows_of(tmp_path / 'a.csv')) < RUNS
