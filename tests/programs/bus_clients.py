#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs for real servos, as the index of Python packages has them, drive simulated servos.

usage: bus_clients.py SERVOSIM FOLDER CLIENT PYTHON

SERVOSIM serves servos on benches at a pseudo terminal. CLIENT is a key of CLIENTS: its packages are
installed in a virtual environment in FOLDER, which is kept, and its program runs there as a process
with the terminal as its argument. The test is skipped where PYTHON is not there or its index of packages is not.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

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
LEROBOT = '''
import types
from unittest import mock
for name in ('torch', 'torch.nn', 'torch.utils', 'torch.utils.data', 'torch.utils.data._utils',
             'torch.utils.data._utils.collate'):
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: mock.MagicMock()
    module.__path__ = []
    sys.modules[name] = module
from lerobot.motors import Motor, MotorNormMode, MotorCalibration
from lerobot.motors.feetech import FeetechMotorsBus, OperatingMode
names = ['pan', 'lift', 'elbow', 'flex', 'roll', 'gripper']
bus = FeetechMotorsBus(sys.argv[1], {n: Motor(i + 1, 'sts3215', MotorNormMode.RANGE_M100_100)
                                     for i, n in enumerate(names)})
bus.connect()
bus.disable_torque()
for n in names:
    bus.write('Operating_Mode', n, OperatingMode.POSITION.value)
offsets = bus.set_half_turn_homings()
assert all(abs(v - 2047) <= 1 for v in bus.sync_read('Present_Position', normalize=False).values())
calibration = {n: MotorCalibration(i + 1, 0, offsets[n], 1000, 3000) for i, n in enumerate(names)}
bus.write_calibration(calibration)
assert bus.is_calibrated
bus.configure_motors()
with bus.torque_disabled():
    for n in names:
        bus.write('P_Coefficient', n, 16)
        bus.write('D_Coefficient', n, 32)
for _ in range(400):
    bus.sync_write('Goal_Position', {n: 30.0 for n in names})
    positions = bus.sync_read('Present_Position')
assert all(abs(v - 30.0) < 8.0 for v in positions.values()), positions
bus.disconnect()
'''
CLIENTS = {  # packages, options of pip, servos, the program
    'dynamixel_sdk': (['dynamixel-sdk>=4.1'], [], ['XM430-W350:2', 'XL430-W250', '--baud', '1000000'],
                      DYNAMIXEL),
    'dynamixel_sdk_1': (['dynamixel-sdk>=4.1'], [], ['AX-12A'], DYNAMIXEL1),
    'feetech_servo_sdk': (['feetech-servo-sdk'], [], ['STS3215:2'], FEETECH),
    'ftservo_python_sdk': (['ftservo-python-sdk'], [], ['STS3215:2'], FTSERVO),
    'rustypot': (['rustypot'], [], ['STS3215:2'], RUSTYPOT),
    'lerobot': (['draccus', 'huggingface_hub', 'tqdm', 'deepdiff', 'pyserial', 'numpy>=2,<2.3',
                 'feetech-servo-sdk', 'dynamixel-sdk'], ['lerobot==0.6.1'], ['STS3215:6'], LEROBOT),
}


def environment(folder, client, python, home):
    """Returns the interpreter of the client's environment, made if it is not there."""
    packages, alone = CLIENTS[client][:2]
    place = folder / client
    program = place / 'bin' / 'python'
    if not (place / 'complete').exists():
        subprocess.run([python, '-m', 'venv', '--clear', place], check=True, timeout=120, env=home)
        pip = [program, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-cache-dir',
               '--only-binary=:all:' if client == 'rustypot' else '--prefer-binary']
        for wanted, options in ((packages, []), (alone, ['--no-deps'])):
            if wanted:
                done = subprocess.run([*pip, *options, *wanted], capture_output=True, text=True, timeout=400,
                                      env=home)
                if done.returncode != 0:
                    print('skipped: clients of servo buses cannot be installed:',
                          (done.stderr.strip().splitlines() or ['?'])[-1])
                    sys.exit(0)
        (place / 'complete').touch()
    return program


def main():
    servosim, folder, client = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    python = sys.argv[4]
    if not pathlib.Path(python).is_file():
        print('skipped: clients of servo buses cannot be installed: there is no newer Python')
        sys.exit(0)
    servos, code = CLIENTS[client][2:]
    with tempfile.TemporaryDirectory() as place:
        # Installers and clients keep files at home.
        home = {**os.environ, 'HOME': place, 'XDG_CACHE_HOME': place}
        program = environment(folder, client, python, home)
        link = pathlib.Path(place) / 'bus'
        # Time passes with exchanges alone, so that nothing depends on the machine.
        with subprocess.Popen([servosim, 'bus', 'serve', *servos, '--link', link, '--lockstep'],
                              stdout=subprocess.DEVNULL) as server:
            try:
                end = time.monotonic() + 60
                while not link.exists() and server.poll() is None and time.monotonic() < end:
                    time.sleep(0.01)
                done = subprocess.run([program, '-c', 'import sys\n' + code, link], timeout=300, env=home)
            finally:
                server.terminate()
        if link.is_symlink():
            sys.exit('the link is still there')
        sys.exit(done.returncode or server.returncode)


if __name__ == '__main__':
    main()
