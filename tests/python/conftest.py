# SPDX-License-Identifier: Apache-2.0
"""Parts that the tests of the package servosim share."""
import os
import pathlib
import signal
import threading
import time

import pytest

import servosim

pytest_plugins = 'pytester'
ROOT = pathlib.Path(__file__).resolve().parents[2]
WORLDS = ROOT / 'worlds'


def page_problem():
    try:
        servosim.Simulation(WORLDS / 'arm.wbt').replay()
    except RuntimeError as error:
        return str(error)


PAGE_PROBLEM = page_problem()
needs_page = pytest.mark.skipif(PAGE_PROBLEM is not None, reason=str(PAGE_PROBLEM))


@pytest.fixture
def arm():
    return servosim.Simulation(WORLDS / 'arm.wbt', seed=7)


@pytest.fixture
def pendulum():
    return servosim.Simulation(WORLDS / 'pendulum.wbt', seed=7)


def interrupted(call, use, meanwhile=lambda: None):
    """Interrupts, by Ctrl-C from another thread, a call that would last for hours.

    That thread waits until use() is refused, because the call is at work then, and calls `meanwhile` first.
    If the call kept Python's lock, this would not end.
    """
    failures = []
    ended = threading.Event()

    def disturb():
        try:
            while not ended.is_set():
                try:
                    use()
                except servosim.InUseError:
                    break
                time.sleep(0.001)
            else:
                return  # the call has failed at once
            meanwhile()
        except BaseException as error:
            failures.append(error)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=disturb)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        try:
            call()
        finally:
            ended.set()
            thread.join()
    for error in failures:
        raise error
