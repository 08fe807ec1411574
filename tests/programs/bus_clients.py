#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs for real servos, as the index of Python packages has them, drive simulated servos.

usage: bus_clients.py SERVOSIM FOLDER CLIENT PYTHON

SERVOSIM serves servos on benches or in a world at pseudo terminals. CLIENT is a key of CLIENTS: its packages
are installed in a virtual environment in FOLDER, which is kept, and its program runs there as a process with the
terminals as its arguments. The test is skipped where PYTHON is not there or its index of packages is not.
"""
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# On a busy machine an answer may need more time than the makers' packages give a real servo.
PATIENT = '''
import dynamixel_sdk.port_handler
dynamixel_sdk.port_handler.LATENCY_TIMER = 2000
'''
PATIENT_FEETECH = PATIENT.replace('dynamixel_sdk', 'scservo_sdk')
DYNAMIXEL = '''
from dynamixel_sdk import *
port = PortHandler(sys.argv[1])
assert port.openPort() and port.setBaudRate(1000000)
p = PacketHandler(2.0)
assert p.ping(port, 1) == (1020, 0, 0)
found, result = p.broadcastPing(port)
assert result == 0 and sorted(found) == [1, 2, 3] and found[3] == [1060, 48], found
assert p.write1ByteTxRx(port, 1, 64, 1) == (0, 0)
assert p.write4ByteTxRx(port, 1, 116, 3000) == (0, 0)
write = GroupSyncWrite(port, p, 65, 1)
for i in (1, 2, 3):
    assert write.addParam(i, [1])
assert write.txPacket() == 0
read = GroupSyncRead(port, p, 132, 4)
for i in (1, 2, 3):
    assert read.addParam(i)
for _ in range(300):
    assert read.txRxPacket() == 0
assert abs(read.getData(1, 132, 4) - 3000) < 40, read.getData(1, 132, 4)
bulk = GroupBulkRead(port, p)
assert bulk.addParam(1, 132, 4) and bulk.addParam(2, 65, 1)
assert bulk.txRxPacket() == 0 and bulk.getData(2, 65, 1) == 1
assert p.write4ByteTxRx(port, 1, 116, 9000) == (0, 6)  # beyond the limit
assert p.write2ByteTxRx(port, 1, 0, 5) == (0, 7)  # read only
assert p.regWriteTxRx(port, 2, 65, 1, [0]) == (0, 0) and p.action(port, 2) == 0
assert p.reboot(port, 1) == (0, 0)
assert p.clearMultiTurn(port, 2) == (0, 0)
assert p.factoryReset(port, 3, 2) == (0, 0)
port.setBaudRate(57600)
assert p.ping(port, 1)[1] == COMM_RX_TIMEOUT
'''
DYNAMIXEL1 = '''
from dynamixel_sdk import *
port = PortHandler(sys.argv[1])
assert port.openPort() and port.setBaudRate(1000000)
p = PacketHandler(1.0)
assert p.ping(port, 1) == (12, 0, 0)
assert p.write2ByteTxRx(port, 1, 30, 700) == (0, 0)
for _ in range(300):
    position, result, error = p.read2ByteTxRx(port, 1, 36)
    assert (result, error) == (0, 0)
assert abs(position - 700) < 15, position
assert p.write2ByteTxRx(port, 1, 30, 2000)[1] == 8  # out of range
'''
FEETECH = '''
from scservo_sdk import *
port = PortHandler(sys.argv[1])
assert port.openPort() and port.setBaudRate(1000000)
p = PacketHandler(0)
assert p.ping(port, 2) == (777, 0, 0)
assert p.write1ByteTxRx(port, 1, 40, 1) == (0, 0)
assert p.write2ByteTxRx(port, 1, 42, 3000) == (0, 0)
read = GroupSyncRead(port, p, 56, 2)
assert read.addParam(1) and read.addParam(2)
for _ in range(400):
    assert read.txRxPacket() == 0
assert abs(read.getData(1, 56, 2) - 3000) < 40, read.getData(1, 56, 2)
assert read.getData(2, 56, 2) == 2048
'''
FTSERVO = '''
from scservo_sdk import *
port = PortHandler(sys.argv[1])
assert port.openPort() and port.setBaudRate(1000000)
s = sms_sts(port)
assert s.ping(1) == (777, 0, 0)
assert s.WritePosEx(1, 3000, 3000, 200) == (0, 0)  # its torque is off
s.write1ByteTxRx(1, 40, 1)
assert s.WritePosEx(1, 3000, 3000, 200) == (0, 0)
for _ in range(800):
    position, speed, result, error = s.ReadPosSpeed(1)
    assert (result, error) == (0, 0)
assert abs(position - 3000) < 40, position
assert s.unLockEprom(1) == (0, 0) and s.WheelMode(1) == (0, 0)
assert s.WriteSpec(1, -500, 50) == (0, 0)
for _ in range(400):
    speed, result, error = s.ReadSpeed(1)
assert abs(speed + 500) < 60, speed
'''
RUSTYPOT = '''
import math, rustypot
c = rustypot.Sts3215PyController(sys.argv[1], 1000000, 0.5)
assert all(c.ping(i) for i in (1, 2))
c.write_torque_enable(1, True)
c.write_goal_position(1, 0.7)
for _ in range(400):
    position = c.sync_read_present_position([1, 2])
assert abs(position[0] - 0.7) < 0.05, position
assert abs(c.read_present_voltage(1)[0] - 74) < 2
'''
# LeRobot imports torch, of which its buses of motors need nothing.
LEROBOT = '''
import types
from unittest import mock
for name in ('torch', 'torch.nn', 'torch.utils', 'torch.utils.data', 'torch.utils.data._utils',
             'torch.utils.data._utils.collate'):
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: mock.MagicMock()
    module.__path__ = []
    sys.modules[name] = module
from lerobot.motors import motors_bus
from lerobot.motors import Motor, MotorNormMode, MotorCalibration

def ranges_by_hand(bus, names, way):
    # Returns the ranges that LeRobot records. The hand that moves the joints is their own torque, and Enter is
    # pressed when all have been at both ends of the way.
    ends = iter([-way, way, 0])
    def move():
        end = next(ends, None)
        if end is None:
            return True
        bus.enable_torque(names)
        bus.sync_write('Goal_Position', {n: middle[n] + end for n in names}, normalize=False)
        for _ in range(600):
            positions = bus.sync_read('Present_Position', names, normalize=False)
            for n in names:
                lowest[n], highest[n] = min(lowest[n], positions[n]), max(highest[n], positions[n])
        ends_seen.append(end)
        return False
    middle = bus.sync_read('Present_Position', names, normalize=False)
    lowest, highest, ends_seen = dict(middle), dict(middle), []
    with mock.patch.object(motors_bus, 'enter_pressed', move):
        least, most = bus.record_ranges_of_motion(names, display_values=False)
    bus.disable_torque(names)
    assert ends_seen == [-way, way, 0]
    for n in names:
        assert lowest[n] <= least[n] < middle[n] < most[n] <= highest[n], (n, least, most)
        assert least[n] < middle[n] - 0.8 * way and most[n] > middle[n] + 0.8 * way, (n, least, most)
    return least, most

def calibrate(bus, full_turn, way):
    # The steps of LeRobot's own calibration, without its questions.
    offsets = bus.set_half_turn_homings()
    assert all(abs(v - 2047) <= 1 for v in bus.sync_read('Present_Position', normalize=False).values())
    least, most = ranges_by_hand(bus, [n for n in bus.motors if n not in full_turn], way)
    least.update({n: 0 for n in full_turn})
    most.update({n: 4095 for n in full_turn})
    calibration = {n: MotorCalibration(m.id, 0, offsets[n], least[n], most[n]) for n, m in bus.motors.items()}
    bus.write_calibration(calibration)
    assert bus.is_calibrated
    return calibration

# On a busy machine the next answer may need more time than LeRobot gives real servos.
import lerobot.motors.feetech.feetech
lerobot.motors.feetech.feetech.patch_setPacketTimeout = lambda port, size: port.setPacketTimeoutMillis(20000)

def feetech(port):
    from lerobot.motors.feetech import FeetechMotorsBus, OperatingMode
    names = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper']
    bus = FeetechMotorsBus(port, {n: Motor(i + 1, 'sts3215', MotorNormMode.RANGE_M100_100)
                                  for i, n in enumerate(names)})
    bus.connect()
    bus.disable_torque()
    for n in names:
        bus.write('Operating_Mode', n, OperatingMode.POSITION.value)
    return bus

def configure(bus):
    with bus.torque_disabled():
        bus.configure_motors()
        for n in bus.motors:
            bus.write('Operating_Mode', n, 0)
            bus.write('P_Coefficient', n, 16)
            bus.write('I_Coefficient', n, 0)
            bus.write('D_Coefficient', n, 32)
'''
FEETECH_BUS = '''
bus = feetech(sys.argv[1])
calibrate(bus, ['wrist_roll'], 500)
configure(bus)
for _ in range(400):
    bus.sync_write('Goal_Position', {n: 30.0 for n in bus.motors})
    positions = bus.sync_read('Present_Position')
assert all(abs(v - 30.0) < 8.0 for n, v in positions.items() if n != 'wrist_roll'), positions
bus.disconnect()
'''
DYNAMIXEL_BUS = '''
from lerobot.motors.dynamixel import DynamixelMotorsBus, OperatingMode
models = ['xl430-w250', 'xl430-w250', 'xl330-m288', 'xl330-m288']
names = ['pan', 'lift', 'roll', 'gripper']
bus = DynamixelMotorsBus(sys.argv[1], {n: Motor(i + 1, m, MotorNormMode.RANGE_M100_100)
                                       for i, (n, m) in enumerate(zip(names, models))})
bus.connect()
assert bus.broadcast_ping() == {1: 1060, 2: 1060, 3: 1200, 4: 1200}
bus.disable_torque()
for n in names[:-1]:
    bus.write('Operating_Mode', n, OperatingMode.EXTENDED_POSITION.value)
bus.write('Operating_Mode', 'gripper', OperatingMode.CURRENT_POSITION.value)
bus.write('Drive_Mode', 'roll', 1)
bus.write('Drive_Mode', 'roll', 0)
calibrate(bus, ['roll'], 600)
with bus.torque_disabled():
    bus.configure_motors()
    bus.write('Position_P_Gain', 'lift', 1500)
bus.enable_torque()
for _ in range(400):
    bus.sync_write('Goal_Position', {n: 30.0 for n in names})
    positions = bus.sync_read('Present_Position')
assert all(abs(v - 30.0) < 4.0 for v in positions.values()), positions
assert bus.read('Torque_Enable', 'pan') == 1 and bus.read('Goal_Current', 'gripper') > 0
bus.disable_torque()
assert bus.sync_read('Torque_Enable', normalize=False) == {n: 0 for n in names}
bus.disconnect()
'''
# The program of the tutorial, and what it says at the end of a move to one side.
FOLLOWS = r'''
import contextlib, io, re
said = io.StringIO()
with contextlib.redirect_stdout(said):
    exec(program)
reached = re.findall(r'^(\w+)\.pos +leader +(\S+) +follower +(\S+)$', said.getvalue(), re.MULTILINE)
assert [name for name, _, _ in reached] == list(follower.bus.motors), said.getvalue()
for name, leads, follows in reached:
    middle = 50 if name == 'gripper' else 0
    assert 15 < float(leads) - middle < 21 and 10 < float(follows) - middle < 21, reached
assert leader.calibration_fpath.is_file() and follower.calibration_fpath.is_file()
'''
# The program of the tutorial, whose lines are those that its page shows.
NODS = r'''
import contextlib, io
said = io.StringIO()
sys.argv.append('3000')
with contextlib.redirect_stdout(said):
    exec(program)
assert said.getvalue() == shown, said.getvalue()
'''
# All models of dynamixel-sdk are served from its files, and those that have a table of ours are compared.
MODEL_FILES = r"""
import json, pathlib, re, subprocess, time
import dynamixel_easy_sdk
from dynamixel_easy_sdk.connector import Connector
folder = pathlib.Path(dynamixel_easy_sdk.__file__).parent / 'control_table'
servosim, place = sys.argv[1], sys.argv[2]
files = dict(line.split() for line in (folder / 'dynamixel.model').read_text().splitlines()[1:] if line.strip())

def registers(file):
    # Returns {address: (size, name)} without the blocks of indirect addresses.
    lines = (folder / file).read_text().split('[control table]')[1].splitlines()[2:]
    rows = [line.strip().split('\t') for line in lines if line.strip()]
    return {int(address): (int(size), plain(name)) for address, size, name in rows
            if not name.startswith('Indirect ')}

def plain(name):
    return re.sub(r' *\(.*?\)', '', name).strip().lower()

def call(*arguments):
    return json.loads(subprocess.run([servosim, 'bus', *arguments, '--json', '--tables', folder], check=True,
                                     timeout=120, capture_output=True, text=True).stdout)

OURS = ['MX-28(2.0)', 'MX-64(2.0)', 'MX-106(2.0)', 'PH54-200-S500', 'PH42-020-S300', 'XL330-M288', 'XL330-M077',
        'XC330-T288', 'XL430-W250', 'XC430-W150', 'XC430-W240', 'XM430-W350', 'XM430-W210', 'XM540-W150',
        'XM540-W270', 'XH540-W150', 'XH540-W270', 'XH540-V150', 'XH540-V270', 'XL-320']
# The manuals have these two, since firmware 45 or 46. Of the files of X only that of XH540-V270 has them.
NEWER = {60: (1, 'startup configuration'), 147: (1, 'backup ready')}
bare = lambda name: re.sub(r'\(2.0\)|[^a-z0-9]', '', name.lower())
others = [file.removesuffix('.model') for file in files.values()]
others = [name for name in others if bare(name) not in map(bare, OURS)]
assert len(files) == len(OURS) + len(others)
with subprocess.Popen([servosim, 'bus', 'serve', *OURS, *others, '--tables', folder, '--link', place + '/bus',
                       '--baud', '57600', '--lockstep'], stdout=subprocess.DEVNULL) as server:
    try:
        while not pathlib.Path(place + '/bus').exists():
            assert server.poll() is None
            time.sleep(0.01)
        found = {each['id']: each for each in call('scan', place + '/bus', '--baud', '57600', '--protocol',
                                                   'dynamixel2')['servos']}
        assert len(found) == len(OURS) + len(others), found
        for i, model in enumerate(OURS):
            assert found[i + 1]['model'] == model, found[i + 1]
            theirs = registers(files[str(found[i + 1]['model_number'])])
            rows = call('read', place + '/bus', str(i + 1), '--baud', '57600')['registers']
            ours = {row['address']: (row['size'], plain(row['name'])) for row in rows}
            lacks = NEWER if model[0] == 'X' and model not in ('XH540-V270', 'XL-320') else {}
            assert ours == theirs | lacks, (model, set(ours.items()) ^ set(theirs.items()))
        connector = Connector(place + '/bus', 57600)
        for i, name in enumerate(others):
            number = found[len(OURS) + i + 1]['model_number']
            assert files[str(number)] == name + '.model', (name, number)
            motor = connector.createMotor(len(OURS) + i + 1)
            motor.enableTorque()
            before = motor.getPresentPosition()
            motor.setGoalPosition(before + 100)
            for _ in range(25):
                after = motor.getPresentPosition()
            assert after > before, (name, before, after)
            motor.disableTorque()
    finally:
        server.terminate()
sys.exit(server.returncode)
"""


def program_of(page, name):
    """Returns the program that a page of the documentation has as a file."""
    text = (ROOT / 'docs' / page).read_text()
    return re.search(f'<!-- file: {re.escape(name)} -->\n```python\n(.*?)```\n', text, re.DOTALL)[1]


def shown_by(page, command):
    """Returns what a page of the documentation shows as the output of a command."""
    text = (ROOT / 'docs' / page).read_text()
    return re.search(re.escape(f'$ {command}\n') + r'(.*?)(?:```|^\$)', text, re.DOTALL | re.MULTILINE)[1]


SERVE = ['bus', 'serve', '--lockstep', '--link', '{link}']
ENVIRONMENTS = {  # packages, and those whose dependencies are not wanted
    'dynamixel_sdk': (['dynamixel-sdk==4.1.*'], []),
    'feetech_servo_sdk': (['feetech-servo-sdk==1.0.*'], []),
    'ftservo_python_sdk': (['ftservo-python-sdk==2.0.*'], []),
    'rustypot': (['rustypot==1.13.*'], []),
    'lerobot': (['draccus', 'huggingface_hub', 'tqdm', 'deepdiff', 'pyserial', 'numpy>=2,<2.3',
                 'feetech-servo-sdk==1.0.*', 'dynamixel-sdk==4.1.*'], ['lerobot==0.6.1']),
}
CLIENTS = {  # environment, arguments of each servosim that runs, the program
    'dynamixel_sdk': ('dynamixel_sdk', [[*SERVE, 'XM430-W350:2', 'XL430-W250', '--baud', '1000000']],
                      PATIENT + DYNAMIXEL),
    'dynamixel_sdk_1': ('dynamixel_sdk', [[*SERVE, 'AX-12A']], PATIENT + DYNAMIXEL1),
    'dynamixel_ci': ('dynamixel_sdk', [[*SERVE, 'XM430-W350']],
                     f"program = {program_of('tutorials/dynamixel-ci.md', 'nod.py')!r}\n"
                     f"shown = {shown_by('tutorials/dynamixel-ci.md', 'python3 nod.py ./servo 3000')!r}\n{NODS}"),
    'model_files': ('dynamixel_sdk', [], PATIENT + MODEL_FILES),
    'feetech_servo_sdk': ('feetech_servo_sdk', [[*SERVE, 'STS3215:2']], PATIENT_FEETECH + FEETECH),
    'ftservo_python_sdk': ('ftservo_python_sdk', [[*SERVE, 'STS3215:2']],
                           PATIENT_FEETECH + FTSERVO),
    'rustypot': ('rustypot', [[*SERVE, 'STS3215:2']], RUSTYPOT),
    'lerobot_feetech': ('lerobot', [[*SERVE, 'STS3215:6']], LEROBOT + FEETECH_BUS),
    'lerobot_dynamixel': ('lerobot', [[*SERVE, 'XL430-W250:2', 'XL330-M288-T:2', '--baud', '1000000']],
                          PATIENT + LEROBOT + DYNAMIXEL_BUS),
    'lerobot_arm': ('lerobot', [[*SERVE, 'STS3215:6'],
                                ['run', str(ROOT / 'worlds/so101.wbt'), '--set', 'so101.controller="<none>"',
                                 '--bus', 'arm={link}', '--bus-lockstep']],
                    f"{LEROBOT}program = {program_of('tutorials/lerobot.md', 'so101.py')!r}\n{FOLLOWS}"),
}


def index_answers(program, home):
    """Returns whether the index of packages knows pip, which each has."""
    asked = [program, '-m', 'pip', 'index', 'versions', '--disable-pip-version-check', 'pip']
    return subprocess.run(asked, capture_output=True, timeout=400, env=home).returncode == 0


def environment(folder, name, python, home):
    """Returns the interpreter of an environment, made if it is not there with these packages.

    Without an index of packages the test is skipped; an index that does not have them is a failure.
    """
    packages, alone = ENVIRONMENTS[name]
    complete = f'{packages} {alone}'
    place = folder / name
    program = place / 'bin' / 'python'
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / (name + '.lock'), 'w') as lock:  # clients that share it may start at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (place / 'complete').exists() and (place / 'complete').read_text() == complete:
            return program
        subprocess.run([python, '-m', 'venv', '--clear', place], check=True, timeout=120, env=home)
        pip = [program, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-cache-dir',
               '--only-binary=:all:' if name == 'rustypot' else '--prefer-binary']
        for wanted, options in ((packages, []), (alone, ['--no-deps'])):
            if wanted:
                done = subprocess.run([*pip, *options, *wanted], capture_output=True, text=True, timeout=400,
                                      env=home)
                if done.returncode != 0 and not index_answers(program, home):
                    print('skipped: clients of servo buses cannot be installed:',
                          'the index of packages cannot be reached')
                    sys.exit(0)
                if done.returncode != 0:
                    sys.exit(f'pip install {" ".join(wanted)}:\n{done.stderr}')
        (place / 'complete').write_text(complete)
    return program


def wait_for(link, server):
    """Waits until a server has made its link."""
    end = time.monotonic() + 60
    while not link.exists() and server.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


def main():
    servosim, folder, client = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    python = sys.argv[4]
    if not pathlib.Path(python).is_file():
        print('skipped: clients of servo buses cannot be installed: there is no newer Python')
        sys.exit(0)
    name, runs, code = CLIENTS[client]
    with tempfile.TemporaryDirectory() as place:
        # Installers and clients keep files at home.
        home = {**os.environ, 'HOME': place, 'XDG_CACHE_HOME': place}
        program = environment(folder, name, python, home)
        links = [pathlib.Path(place) / f'bus{i}' for i in range(len(runs))]
        servers = []
        try:
            # Time passes with exchanges alone, so that nothing depends on the machine.
            for link, run in zip(links, runs):
                servers.append(subprocess.Popen([servosim, *(word.format(link=link) for word in run)],
                                                stdout=subprocess.DEVNULL, cwd=place))
                wait_for(link, servers[-1])
            done = subprocess.run([program, '-c', 'import sys\n' + code, *(links or [servosim, place])],
                                  timeout=600, env=home)
        finally:
            for server in servers:
                server.terminate()
            codes = [server.wait() for server in servers]
        if any(link.is_symlink() for link in links):
            sys.exit('a link is still there')
        # A run that is ended has the code of its signal.
        sys.exit(done.returncode or next((code for code in codes if code not in (0, 128 + signal.SIGTERM)), 0))


if __name__ == '__main__':
    main()
