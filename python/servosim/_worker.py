# SPDX-License-Identifier: Apache-2.0
"""What servosim.distributed runs on the workers of a cluster."""
from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from distributed import get_worker

import servosim
from servosim._servosim import _files_of_world, _Sweep

_MOST_SWEEPS = 4  # limit of those that a process keeps loaded


class WorkerError(RuntimeError):
    """A worker cannot take part, or was lost too often; the text names it."""


class WorldFiles(NamedTuple):
    """A world with all files that it may need, for another computer."""

    key: str  # hash of names and contents
    given: str  # the path of the world, as messages name it
    world: str  # an absolute path
    proto_paths: List[str]
    servo_paths: List[str]
    files: List[Tuple[str, bytes]]  # (path or address, content)


class Job(NamedTuple):
    """What all tasks of a sweep share."""

    files: WorldFiles
    options: Dict[str, Any]  # those of _Sweep
    id: str  # id of the sweep at the client
    version: str  # the version of servosim at the client


def read_world(world: Any, proto_paths: Sequence[Any], servo_paths: Sequence[Any],
               assets: Sequence[Any], values: Sequence[bytes]) -> WorldFiles:
    """The files of a world of this computer whose fields may get these values. Raises LoadError."""
    path, folders, servos, files = _files_of_world(world, list(proto_paths), list(servo_paths),
                                                   list(assets), values)
    key = hashlib.sha256()
    for text in [path, *folders, *servos]:
        key.update(f'{len(text)} {text}'.encode('utf-8', 'surrogateescape'))
    for name, content in files:
        key.update(f'{len(name)} {name} {len(content)}'.encode('utf-8', 'surrogateescape'))
        key.update(content)
    return WorldFiles(key.hexdigest(), os.fspath(world), path, folders, servos, files)


def version() -> str:
    """The version of servosim on this worker."""
    return servosim.__version__


def same(job: Job) -> Job:
    """The job as the result of a task. Dask sends it once to each worker that needs it, and makes
    it again if all workers that had it are lost.
    """
    return job


def _place(root: pathlib.Path, name: str) -> pathlib.Path:
    """The path of a file of another computer: a path below `files`; an address has its name in a
    cache.
    """
    if '://' in name:
        return root / 'assets' / hashlib.sha1(name.encode('utf-8', 'surrogateescape')).hexdigest()
    return root / 'files' / name.lstrip('/')


def unpack(files: WorldFiles, folder: pathlib.Path) -> pathlib.Path:
    """The folder below `folder` that has these files. They are written if it is not there."""
    root = folder / files.key
    if root.is_dir():
        return root
    folder.mkdir(parents=True, exist_ok=True)
    made = pathlib.Path(tempfile.mkdtemp(prefix='new-', dir=folder))
    try:
        (made / 'assets').mkdir()
        for name, content in files.files:
            place = _place(made, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        try:
            made.rename(root)  # done at once, so that a folder of that name has all files
        except OSError:
            if not root.is_dir():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return root


class Loaded:
    """A sweep on a worker."""

    def __init__(self, job: Job, root: pathlib.Path, parameters: Sequence[str]) -> None:
        files = job.files
        options = dict(job.options)
        options['load'] = dict(
            options['load'], assets=[str(root / 'assets')],
            proto_paths=[str(_place(root, path)) for path in files.proto_paths],
            servo_paths=[str(_place(root, path)) for path in files.servo_paths])
        if parameters:
            options['parameters'] = list(parameters)
        world = _place(root, files.world)
        self.sweep = _Sweep(world, **options)
        self._names = [(str(world), files.given), (str(root / 'files'), '')]

    def run(self, numbers: Sequence[int]) -> bytes:
        """The rows. Their messages name files as the client does."""
        return self.sweep.run(numbers, self._names)


_lock = threading.Lock()
_loaded: 'OrderedDict[Tuple[str, str, str], Loaded]' = OrderedDict()


def name_of_this() -> str:
    worker = get_worker()
    return f'{str(worker.name)!r} ({worker.address})'


def _folder() -> pathlib.Path:
    return pathlib.Path(get_worker().local_directory).resolve() / 'servosim'


def _load(job: Job) -> Loaded:
    """The sweep of a job. Sweeps that were used last stay loaded."""
    if version() != job.version:
        raise WorkerError(f'worker {name_of_this()} has servosim {version()}, the client '
                          f'{job.version}: install the same version')
    key = (job.files.key, job.id, repr(job.options))  # the id does not depend on all options
    with _lock:
        if key in _loaded:
            _loaded.move_to_end(key)
            return _loaded[key]
        loaded = Loaded(job, unpack(job.files, _folder()), ())
        if loaded.sweep.id != job.id:
            raise WorkerError(f'worker {name_of_this()} loads {job.files.given} otherwise than the '
                              'client: look for files that an absolute path names, and for PROTOs '
                              "in the worker's own folders (SERVOSIM_ASSETS, WEBOTS_HOME, ~/.cache)")
        _loaded[key] = loaded
        if len(_loaded) > _MOST_SWEEPS:
            _loaded.popitem(last=False)
        return loaded


def run_rows(job: Job, numbers: Sequence[int]) -> Tuple[float, int, bytes]:
    """The time that rows of a sweep have taken [s], their number, and the rows."""
    loaded = _load(job)
    begin = time.perf_counter()
    rows = loaded.run(numbers)
    return time.perf_counter() - begin, len(numbers), rows


def run_trial(job: Job, parameters: Sequence[str]) -> Tuple[List[str], bytes]:
    """The columns and rows of the job's world with other values of fields; each seed has a row."""
    _load(job)
    loaded = Loaded(job, unpack(job.files, _folder()), parameters)
    return loaded.sweep.columns, loaded.run(range(len(loaded.sweep)))
