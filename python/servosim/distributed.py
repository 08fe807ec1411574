# SPDX-License-Identifier: Apache-2.0
"""Sweeps and searches on the workers of a Dask cluster.

    from distributed import Client
    import servosim.distributed

    client = Client('tcp://head:8786')
    servosim.distributed.sweep(client, 'worlds/arm.wbt', {'arm/shoulder.maxTorque': '10:50:100'},
                               seeds='1..5', output='results.csv', resume=True)

The results are those of `servosim sweep`, bit for bit. The package `distributed` is needed, and for
search() `optuna` too.
"""
from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import math
import os
import time
import uuid
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple,
                    Optional, Sequence, Set, Tuple, Union)

try:
    from distributed import Client, Future, as_completed
    from distributed.client import CancelledError
    from distributed.scheduler import KilledWorker
except ImportError as error:
    raise ImportError('servosim.distributed needs the package distributed (Debian: '
                      'python3-distributed); `servosim sweep` does not') from error

from servosim import _worker
from servosim._errors import log_warnings, logger
from servosim._servosim import _listed_values, _ResultsFile, _rows_of, _Sweep, _value_text
from servosim._worker import Job, WorkerError

if TYPE_CHECKING:
    import optuna

__all__ = ['SweepResult', 'WorkerError', 'search', 'sweep']

_QUEUED = 2  # tasks for each thread of the cluster: one is at work, one waits
_GROWTH = 4  # factor from a measured piece to the next one
_ASK_SECONDS = 1.0  # time between two queries of the cluster's number of threads

Path = Union[str, 'os.PathLike[str]']
Values = Union[str, Sequence[Any]]
Progress = Callable[[int, int], object]
Rows = List[Dict[str, Any]]
Objective = Union[str, Callable[[Rows], Any]]


class SweepResult(NamedTuple):
    """A summary of the rows of a results file."""

    runs: int
    """The number of rows."""
    ok: int
    """The number of rows with exit_code 0."""
    failed: int
    """exit_code 1: the simulation failed, for instance diverged."""
    bad_input: int
    """exit_code 2: the world cannot have a value."""
    incomplete: int
    """exit_code 3: the world lacks something that may change its motion."""


def _parameter_texts(parameters: Mapping[str, Values]) -> List[str]:
    """`PATH=VALUES`, in the form of the option --param."""
    return [f'{path}={values if isinstance(values, str) else _list_text(path, values)}'
            for path, values in parameters.items()]


def _list_text(path: str, values: Iterable[Any]) -> str:
    """Raises ValueError for an item that would be no value or several values."""
    items = [_value_text(value).strip(' \t') for value in values]
    for item in items:
        if _listed_values(f'{path}={item}') != [item]:
            raise ValueError(f'{path}: the item {item!r} of the list is not one value; a text with commas '
                             f'stands in quotes, {json.dumps(item)!r}, a range or a distribution in no list')
    text = ','.join(items)
    if _listed_values(f'{path}={text}') != items:
        raise ValueError(f'{path}: an item of the list {items!r} has a quote or bracket that is not closed')
    return text


def _texts_of_values(load: Mapping[str, Any], options: Mapping[str, Any]) -> List[bytes]:
    """The values that settings, parameters and variants give to fields, as they are written in a
    file.
    """
    texts = {_value_text(value) for value in (load.get('settings') or {}).values()}
    for parameter in options['parameters']:
        texts.update(_listed_values(parameter))
    table = options['variants'].decode('utf-8', 'surrogateescape')
    texts.update(cell for row in csv.reader(table.splitlines()) for cell in row)
    return sorted(text.encode('utf-8', 'surrogateescape') for text in texts)


def _seed_text(seeds: Union[str, Iterable[int]]) -> str:
    if isinstance(seeds, str):
        return seeds
    if isinstance(seeds, range) and seeds.step == 1 and len(seeds) > 0:
        return f'{seeds[0]}..{seeds[-1]}'
    return ','.join(str(int(seed)) for seed in seeds)


def _make_job(world: Path, load: Mapping[str, Any], choices: Sequence[str] = (),
              **options: Any) -> Tuple[_Sweep, Job]:
    """The sweep on this computer, and the job that the workers need for it. `choices` may be its
    parameters.
    """
    options.setdefault('variants', b'')
    options.setdefault('variants_name', 'variants')
    options.setdefault('samples', None)
    options.setdefault('draw_seed', 0)
    options.setdefault('latin_hypercube', False)
    sweep = _Sweep(world, load=dict(load), **options)
    if sweep.controllers:
        programs = ', '.join(f'{robot} ({controller})' for robot, controller in sweep.controllers)
        without = {f'{robot}.controller': '<none>' for robot, _ in sweep.controllers}
        raise ValueError(f'workers run no controllers, and these robots have one: {programs}; '
                         f'`servosim sweep` runs them, settings={without!r} leaves them out')
    for path in sweep.parameters:
        if path.endswith('.controller'):
            raise ValueError(f'{path} cannot be a parameter: workers run no controllers')
    warnings = [str(diagnostic) for diagnostic in sweep.diagnostics
                if diagnostic.severity == 'warning' and not diagnostic.only_looks]
    if warnings:
        log_warnings(warnings)
    files = _worker.read_world(world, load.get('proto_paths', ()), load.get('servo_paths', ()),
                               load.get('assets', ()),
                               _texts_of_values(load, dict(options, parameters=[*options['parameters'], *choices])))
    shared = {name: value for name, value in load.items() if name != 'notice'}
    return sweep, Job(files, dict(options, load=shared), sweep.id, _worker.version())


def _check_workers(client: Any) -> None:
    """Raises WorkerError unless all workers have this version of servosim."""
    if not client.nthreads():
        logger.warning('the cluster has no workers yet: waiting for one')
        client.wait_for_workers(1)
    names = {address: about['name'] for address, about in client.scheduler_info()['workers'].items()}
    own = _worker.version()
    faults = []
    for address, found in client.run(_worker.version, on_error='return').items():
        who = f'worker {str(names.get(address, "?"))!r} ({address})'
        if isinstance(found, BaseException):
            faults.append(f'{who} has no servosim {own}: {type(found).__name__}: {found}')
        elif found != own:
            faults.append(f'{who} has servosim {found}, this process {own}')
    if faults:
        raise WorkerError('; '.join(faults) + ': install the same version on all workers')


class _Tasks:
    """Tasks of one job on a cluster, which are cancelled at the end."""

    def __init__(self, client: Any, job: Job) -> None:  # Dask's functions have no types
        if client.asynchronous:
            raise TypeError('the client must not be asynchronous: Client(…, asynchronous=False)')
        _check_workers(client)
        self._client = client
        self._address = client.scheduler.address
        self._prefix = f'servosim-{uuid.uuid4().hex}'
        self._job = client.submit(_worker.same, job, key=f'{self._prefix}-world')
        done: Any = as_completed
        self._done = done(raise_errors=False)
        self._pending: Set[Future] = set()
        self._count = 0
        self._threads = 1
        self._asked = -math.inf

    def __enter__(self) -> _Tasks:
        return self

    def __exit__(self, error: object, *more: object) -> None:
        try:
            self._client.cancel(list(self._pending))
            self._job.release()
        except Exception:
            if error is None:  # the first error is kept
                raise

    def threads(self) -> int:
        """Checks all workers, since they may come and go."""
        now = time.monotonic()
        if now > self._asked + _ASK_SECONDS:
            self._asked = now
            try:
                self._threads = max(1, sum(self._client.nthreads().values()))
            except OSError as error:
                raise self._lost_scheduler() from error
        return self._threads

    def submit(self, function: Callable[..., Any], argument: Any) -> Future:
        if self._client.status != 'running':
            raise self._lost_scheduler()
        self._count += 1
        future: Future = self._client.submit(function, self._job, argument, pure=False,
                                     key=f'{self._prefix}-{self._count}')
        self._pending.add(future)
        self._done.add(future)
        return future

    def __len__(self) -> int:
        return len(self._pending)

    def next(self) -> Tuple[Future, Any]:
        """Waits for a task. Raises what the task has raised, or WorkerError."""
        future = next(self._done)
        self._pending.discard(future)
        try:
            return future, future.result()
        except KilledWorker as lost:
            raise WorkerError(f'{lost.allowed_failures + 1} workers were lost while they ran the same '
                              f'task, the last one {lost.last_worker.address}: it may need more '
                              'memory than they have') from lost
        except (CancelledError, OSError) as error:
            if future.status == 'error':  # the task has raised it
                raise
            raise self._lost_scheduler() from error
        except ImportError as error:
            _check_workers(self._client)  # names a worker that has come since the first check
            raise WorkerError(f'a worker that has left could not load servosim: {error}') from error

    def _lost_scheduler(self) -> WorkerError:
        return WorkerError(f'the scheduler {self._address} was lost, or has cancelled tasks: when it runs '
                           'again, resume=True runs what is missing')


class _Pieces:
    """Numbers of runs, in pieces of about `seconds` of work."""

    def __init__(self, numbers: Iterator[int], left: int, seconds: float) -> None:
        self._numbers = numbers
        self._left = left
        self._seconds = seconds
        self._cost: Optional[float] = None  # mean time of a run [s]
        self._most = 1  # the most runs of a piece, since one measurement may be far off

    def measured(self, seconds: float, runs: int) -> None:
        cost = max(seconds / runs, 1e-6)
        self._most = max(self._most, _GROWTH * runs)
        self._cost = cost if self._cost is None else (self._cost + cost) / 2

    def next(self, tasks: int) -> List[int]:
        """The next ones. A cluster that runs `tasks` at once has enough of them until the end."""
        size = 1
        if self._cost is not None:
            size = max(1, min(round(self._seconds / self._cost), math.ceil(self._left / tasks), self._most))
        piece = [number for _, number in zip(range(size), self._numbers)]
        self._left -= len(piece)
        return piece


def sweep(client: Client, world: Path, parameters: Mapping[str, Values] = {}, *, output: Path,
          variants: Optional[Path] = None, seeds: Union[str, Iterable[int]] = '',
          samples: Optional[int] = None, latin_hypercube: bool = False, draw_seed: int = 0,
          duration: Optional[float] = None, steps: Optional[int] = None, watch: Sequence[str] = (),
          allow_missing: Sequence[str] = (), resume: bool = False,
          progress: Optional[Progress] = None, task_seconds: float = 2.0,
          **load: Any) -> SweepResult:
    """Run all combinations of parameters and seeds on a cluster; each gets a row of `output`.

    client: the client of the cluster.
    world: a .wbt file of this computer. Workers get it with all files that it names.
    parameters: values by path, in the form of the option --param: 'a:b:n', 'x,y,z', 'normal(m,s)', or
        a list of values.
    output: a .csv or .jsonl file, to which rows are written when they arrive.
    variants: a CSV file with paths in its first line and values in the others.
    seeds: '1..100', a range or a list.
    samples, latin_hypercube, draw_seed: for parameters that are drawn.
    duration: the time of a run [s], 10 by default; or steps.
    watch: patterns of joints; all joints without any.
    allow_missing: kinds of parts that the world may lack.
    resume: `output` may have rows of this sweep; then only the missing ones are run.
    progress: a function that gets the numbers of finished rows and of all rows.
    task_seconds: about how much work a task has [s].
    load: further keywords of Simulation, such as settings, seed, proto_paths.

    Raises LoadError and ValueError for what cannot be swept, WorkerError, and OSError if `output`
    cannot be written. However it ends, `output` has whole rows, and resume=True goes on.
    """
    if not task_seconds > 0:
        raise ValueError(f'task_seconds is above 0, not {task_seconds}')
    table, table_name = b'', 'variants'
    if variants is not None:
        table_name = os.fspath(variants)
        with open(variants, 'rb') as file:
            table = file.read()
    here, job = _make_job(
        world, load, parameters=_parameter_texts(parameters), variants=table,
        variants_name=table_name, seeds=_seed_text(seeds), samples=samples, draw_seed=draw_seed,
        latin_hypercube=latin_hypercube, duration=duration, steps=steps, watch=list(watch),
        allow_missing=list(allow_missing))
    with _Tasks(client, job) as tasks, _open(output, here, resume) as results:
        total = len(here)
        missing = (number for number in range(total) if number not in results)
        pieces = _Pieces(missing, total - len(results), task_seconds)
        for _ in _run_all(tasks, pieces, results):
            if progress is not None:
                progress(len(results), total)
        return SweepResult(len(results), *results.by_exit)


@contextlib.contextmanager
def _open(output: Path, of: _Sweep, resume: bool) -> Iterator[_ResultsFile]:
    """A results file, which is closed at the end also if that cannot be written any more."""
    results = _ResultsFile(output, of, resume)
    if results.removed:
        logger.warning('%s: %d bytes of a row that was not complete are removed', output,
                       results.removed)
    try:
        yield results
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is reported
            results.close()
        raise
    results.close()


def _run_all(tasks: _Tasks, pieces: _Pieces, results: _ResultsFile) -> Iterator[None]:
    """Writes the rows of all pieces. Yields after the rows of each task."""
    while True:
        at_once = _QUEUED * tasks.threads()
        while len(tasks) < at_once:
            numbers = pieces.next(at_once)
            if not numbers:
                break
            tasks.submit(_worker.run_rows, numbers)
        if not len(tasks):
            return
        _, (seconds, count, rows) = tasks.next()
        pieces.measured(seconds, count)
        results.add(rows)
        yield


# ---- search

_LOST = 'servosim: lost'  # marks trials whose search has ended before they had
_WORLD = 'servosim: world'


def search(client: Client, study: optuna.Study, world: Path, space: Mapping[str, Any],
           objective: Objective, *, trials: int, seeds: Union[str, Iterable[int]] = '',
           duration: Optional[float] = None, steps: Optional[int] = None, watch: Sequence[str] = (),
           allow_missing: Sequence[str] = (), progress: Optional[Progress] = None,
           **load: Any) -> None:
    """Let optuna choose values of fields, run them on a cluster, and tell it the objective.

    study: a study of optuna, with any storage, sampler and directions. A study with a storage goes
    on where a former search has ended; trials that the former search did not finish are run again.
    space: for each path of a field (low, high), a list of choices, or a distribution of optuna.
    objective: a column of the results, whose mean over the seeds is used; or a function of the rows
    of a trial (dicts by column) that returns what optuna takes.
    trials: the number of trials that the study has at the end, with those of former searches.

    The other arguments are those of sweep(). A trial fails if one of its runs has another exit_code
    than 0, or if its objective is no number or NaN. It is stored as failed, and its user attribute
    'servosim: failure' has the reason.

    Raises what sweep() raises, and what `objective` raises.
    """
    distributions = {path: _distribution(path, choice) for path, choice in space.items()}
    choices = _parameter_texts({path: choice.choices for path, choice in distributions.items()
                                if hasattr(choice, 'choices')})
    first = _parameter_texts({path: [_first_of(choice)] for path, choice in distributions.items()})
    here, job = _make_job(world, load, choices, parameters=first, seeds=_seed_text(seeds),
                          duration=duration, steps=steps, watch=list(watch),
                          allow_missing=list(allow_missing))
    if isinstance(objective, str) and objective not in here.columns:
        raise ValueError(f'the results have no column {objective!r}; there are '
                         f'{", ".join(here.columns)}')
    _claim(study, _identity(job))
    done = _resume(study)
    with _Tasks(client, job) as tasks:
        asked = done
        running: Dict[Future, Any] = {}
        while done < trials:
            while asked < trials and len(tasks) < tasks.threads():
                trial = study.ask(distributions)
                texts = _parameter_texts({path: [value] for path, value in trial.params.items()})
                running[tasks.submit(_worker.run_trial, texts)] = trial
                asked += 1
            future, (columns, rows) = tasks.next()
            _tell(study, running.pop(future), objective,
                  [dict(zip(columns, row)) for row in _rows_of(rows)])
            done += 1
            if progress is not None:
                progress(done, trials)


def _distribution(path: str, choice: Any) -> optuna.distributions.BaseDistribution:
    try:
        import optuna
    except ImportError as error:
        raise ImportError('search() needs the package optuna (Debian: python3-optuna)') from error
    if isinstance(choice, optuna.distributions.BaseDistribution):
        return choice
    if isinstance(choice, tuple) and len(choice) == 2:
        return optuna.distributions.FloatDistribution(float(choice[0]), float(choice[1]))
    if isinstance(choice, list) and choice:
        return optuna.distributions.CategoricalDistribution(choice)
    raise ValueError(f'{path}: (low, high), a list of choices or a distribution of optuna is '
                     f'expected, not {choice!r}')


def _first_of(distribution: Any) -> Any:
    """Any value by which to find out whether the world has such a field."""
    return distribution.choices[0] if hasattr(distribution, 'choices') else distribution.low


def _identity(job: Job) -> str:
    """A hash of everything besides the space on which the objective depends: contents and options.
    """
    load = {name: value for name, value in job.options['load'].items()
            if name not in ('proto_paths', 'servo_paths', 'assets')}
    options = {name: value for name, value in job.options.items() if name != 'parameters'}
    contents = sorted(hashlib.sha256(content).hexdigest() for _, content in job.files.files)
    text = json.dumps([contents, {**options, 'load': load}], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _claim(study: optuna.Study, world: str) -> None:
    import optuna
    known = study.user_attrs.get(_WORLD)
    if known is None:
        waiting = optuna.trial.TrialState.WAITING  # the user has enqueued it
        if any(trial.state != waiting for trial in study.get_trials(deepcopy=False)):
            raise ValueError(f'the study {study.study_name!r} has trials that are not of this module')
        study.set_user_attr(_WORLD, world)
    elif known != world:
        raise ValueError(f'the study {study.study_name!r} is of another world, or of other seeds, '
                         'settings or another duration: give this search a study of its own')


def _resume(study: optuna.Study) -> int:
    """The number of trials that the study has. Those that no search has finished are run again."""
    import optuna
    running = optuna.trial.TrialState.RUNNING
    lost: List[int] = study.user_attrs.get(_LOST, [])
    for trial in study.get_trials(deepcopy=False, states=(running,)):
        study.set_user_attr(_LOST, lost := lost + [trial.number])
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        if trial.params:
            study.enqueue_trial(trial.params)
    return sum(trial.state.is_finished() and trial.number not in lost
               for trial in study.get_trials(deepcopy=False))


def _tell(study: optuna.Study, trial: optuna.Trial, objective: Objective, rows: Rows) -> None:
    import optuna
    failure = next((row['message'] or f'exit_code {row["exit_code"]}' for row in rows
                    if row['exit_code'] != 0), None)
    values: Any = None
    if failure is None:
        values = _mean(rows, objective) if isinstance(objective, str) else objective(rows)
        failure = _fault_of(values, objective, len(study.directions))
    if failure is None:
        study.tell(trial, values)
    else:
        trial.set_user_attr('servosim: failure', failure)
        study.tell(trial, state=optuna.trial.TrialState.FAIL)


def _mean(rows: Rows, column: str) -> Optional[float]:
    numbers = [row[column] for row in rows]
    if any(not isinstance(number, (int, float)) for number in numbers):
        return None
    return math.fsum(numbers) / len(numbers)


def _fault_of(values: Any, objective: Objective, count: int) -> Optional[str]:
    """Why optuna would store a trial with these values as failed; None if it would not."""
    name = objective if isinstance(objective, str) else 'the objective'
    if values is None:
        return f'{name} has no value'
    of_each = list(values) if isinstance(values, (list, tuple)) else [values]
    if len(of_each) != count:
        return f'{name} has {len(of_each)} values, and the study {count} directions'
    for value in of_each:
        try:
            number = float(value)
        except (TypeError, ValueError):
            return f'{name} is {value!r}, which is no number'
        if math.isnan(number):
            return f'{name} is NaN'
    return None
