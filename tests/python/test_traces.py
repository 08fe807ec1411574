# SPDX-License-Identifier: Apache-2.0
"""Traces of a simulation."""
import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import servosim
from conftest import WORLDS


def rows(path):
    return np.genfromtxt(path, delimiter=',', names=True)


def test_a_row_for_each_step(arm, tmp_path):
    with arm.trace(tmp_path / 'a.csv') as trace:
        arm.step()
        arm.step(9)
        assert not trace.closed and trace.path == str(tmp_path / 'a.csv')
    arm.step()
    table = rows(tmp_path / 'a.csv')
    assert trace.closed and len(table) == 10
    assert table['time_s'] == pytest.approx(0.008 * np.arange(1, 11))
    arm.reset()
    arm.step(10)
    assert table['armshoulder_position_rad'][-1] == arm.joint_positions[0]
    trace.close()


def test_watch_and_several(arm, tmp_path):
    one = arm.trace(str(tmp_path / 'a.jsonl'), watch=['arm.pose'])
    two = arm.trace(tmp_path / 'b.csv', ['elbow'])
    arm.step(3)
    one.close()
    arm.step(2)
    two.close()
    assert (tmp_path / 'a.jsonl').read_text().count('\n') == 4
    assert len(rows(tmp_path / 'b.csv')) == 5
    assert 'shoulder' not in (tmp_path / 'b.csv').read_text()


def test_servos(tmp_path):
    sim = servosim.Simulation(WORLDS / 'so101.wbt')
    sim.joints['elbow_flex'].target = 0.5
    with sim.trace(tmp_path / 'a.csv', ['elbow_flex']):
        sim.step(20)
        sim.fields['elbow_flex.servo'] = ''
        sim.step()
    table = rows(tmp_path / 'a.csv')
    assert abs(table['so101elbow_flex_current_A'][:20]).min() > 0.01
    assert table['so101elbow_flex_voltage_V'][19] == pytest.approx(7.4, abs=0.5)
    # How numpy reads the sign of a degree depends on its version.
    temperature, = [name for name in table.dtype.names if 'temperature' in name]
    assert (table[temperature][:20] == 25).all()
    assert np.isnan(table['so101elbow_flex_duty'][20]), 'the motor is none any more'


def test_the_end_of_the_simulation_closes(tmp_path):
    sim = servosim.Simulation(WORLDS / 'arm.wbt')
    sim.trace(tmp_path / 'a.csv')
    sim.step(4)
    del sim
    gc.collect()
    assert len(rows(tmp_path / 'a.csv')) == 4


def test_the_end_of_the_interpreter_closes(tmp_path):
    code = ('import builtins, servosim, sys\n'
            'builtins.kept = sim = servosim.Simulation(sys.argv[1])\n'
            'sim.trace(sys.argv[2])\n'
            'sim.step(4)\n')
    subprocess.run([sys.executable, '-c', code, WORLDS / 'arm.wbt', tmp_path / 'a.csv'], check=True)
    assert len(rows(tmp_path / 'a.csv')) == 4


def test_bad_files(arm, tmp_path):
    with pytest.raises(OSError, match='nowhere'):
        arm.trace(tmp_path / 'nowhere/a.csv')
    (tmp_path / 'letter.txt').write_text('Dear reader')
    with pytest.raises(ValueError):
        arm.trace(tmp_path / 'letter.txt')
    assert (tmp_path / 'letter.txt').read_text() == 'Dear reader'
    with pytest.raises(ValueError, match='did you mean|elbow'):
        arm.trace(tmp_path / 'a.csv', watch=['elbw'])
    arm.step()


def test_a_full_disk_is_an_error(arm):
    trace = arm.trace('/dev/full')
    with pytest.raises(OSError):
        arm.step(20000)
        trace.close()
    assert arm.step_count > 0 and trace.closed
    arm.step()


def test_a_forked_process_leaves_the_trace_alone(arm, tmp_path):
    trace = arm.trace(tmp_path / 'a.csv')
    arm.step(5)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            arm.step()
        except RuntimeError as error:
            trace.close()
            arm.step()
            status = 0 if 'forked' in str(error) and arm.step_count == 6 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    arm.step(5)
    trace.close()
    assert len(rows(tmp_path / 'a.csv')) == 10
