#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a run by servosim.distributed, over that of the same run in this process.

usage: dask_overhead.py [MILLISECONDS OF WORK PER TASK]...

One worker process with one thread on this computer and this process run the same part of a sweep of the
arm in turns. Each pair of rounds gives a ratio, and the median is printed. The limit is 1.05 from 50 ms
per task on, by the clock of a computer with a free core for the scheduler and the client. Where other
programs use the computer too, processor time says more: of the worker alone, and with scheduler and
client.
"""
import logging
import pathlib
import statistics
import sys
import tempfile
import time

import distributed
import psutil

import servosim.distributed
from servosim import _worker

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 7
TASKS = 20  # tasks of a round


def main(works):
    sweep, job = servosim.distributed._make_job(
        ROOT / 'worlds/arm.wbt', {'settings': {'arm.controller': '<none>'}},
        parameters=['arm/shoulder.position=0.2:0.8:100'], seeds='1..1000000', duration=1.0, steps=None,
        watch=[], allow_missing=[])
    numbers = iter(range(len(sweep)))
    sweep.run([next(numbers) for _ in range(20)])
    begin = time.perf_counter()
    sweep.run([next(numbers) for _ in range(200)])
    cost = (time.perf_counter() - begin) / 200
    print(f'a run of 1 s takes {cost * 1e3:.2f} ms')
    logging.getLogger('distributed').setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder, distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, host='127.0.0.1', dashboard_address=None,
            local_directory=folder) as cluster, distributed.Client(cluster) as client:
        for work in works or [25, 50, 100]:
            size = max(1, round(work / 1e3 / cost))
            ratios = []
            for _ in range(ROUNDS):
                rows = [next(numbers) for _ in range(TASKS * size)]
                dask = by_dask(client, job, rows, size)
                plain = here(sweep, rows, size)
                ratios.append([mine / plain[own] for mine, own in zip(dask, (0, 1, 1))])
            clock, worker, all_three = map(statistics.median, zip(*ratios))
            print(f'{size} runs per task, {size * cost * 1e3:.0f} ms: Dask / this process by the clock '
                  f'{clock:.3f}, processor time of the worker {worker:.3f}, with scheduler and client '
                  f'{all_three:.3f}', flush=True)


def seconds():
    """The clock, and the processor time of this process and of its children."""
    workers = psutil.Process().children(recursive=True)
    used = [times.user + times.system for times in (one.cpu_times() for one in workers)]
    return time.perf_counter(), time.process_time(), sum(used)


def here(sweep, rows, size):
    """The time and the processor time [s]."""
    begin = seconds()
    for i in range(0, len(rows), size):
        sweep.run(rows[i:i + size])
    end = seconds()
    return end[0] - begin[0], end[1] - begin[1]


def by_dask(client, job, rows, size):
    """The time by the clock, of the worker, and of all processes [s]. It begins with the first
    result, when the worker has loaded the world as this process has.
    """
    pieces = iter([rows[i:i + size] for i in range(0, len(rows), size)])

    class Pieces:
        def next(self, tasks):
            return next(pieces, [])

        def measured(self, seconds, runs):
            pass

    class Results:
        def add(self, row):
            pass

    with servosim.distributed._Tasks(client, job) as tasks:
        tasks.submit(_worker.run_rows, rows[:1])
        tasks.next()
        begin = seconds()
        for _ in servosim.distributed._run_all(tasks, Pieces(), Results()):
            pass
        end = seconds()
    clock, own, worker = (after - before for after, before in zip(end, begin))
    return clock, worker, own + worker


if __name__ == '__main__':  # the worker process does not run this
    main([float(argument) for argument in sys.argv[1:]])
