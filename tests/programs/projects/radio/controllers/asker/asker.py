# SPDX-License-Identifier: Apache-2.0
"""An Emitter sends data in Python, and a Receiver reads the echo."""
import struct

from controller import Emitter, Supervisor


def expect(condition, what):
    if not condition:
        raise SystemExit(what)


robot = Supervisor()
emitter = robot.getDevice('tx')
receiver = robot.getDevice('rx')
receiver.enable(10)
robot.step(10)  # the echo starts to listen
expect((emitter.buffer_size, emitter.channel, emitter.range) == (16, 1, 3.0), 'settings')
expect(receiver.channel == Emitter.CHANNEL_BROADCAST, 'channel')
for sent, read in (('grüße', receiver.getString), (b'\x00\x01\xff', receiver.getBytes),
                   ([1.5, -2.25], receiver.getFloats), ([3, -4, 5], receiver.getInts),
                   ([True, False, True], receiver.getBools)):
    expect(emitter.send(sent) == 1, f'{sent} is not sent')
    robot.step(20)
    expect(receiver.queue_length == 1, f'{sent} does not arrive')
    expect(read() == sent, f'{read()} is not {sent}')
    expect(abs(receiver.getSignalStrength() - 1.0) < 1e-9, 'strength')
    expect(len(receiver.getEmitterDirection()) == 3, 'direction')
    receiver.nextPacket()
expect(receiver.getQueueLength() == 0, 'the queue is not empty')
emitter.send(struct.pack('chd', b'a', 45, 120.08))
robot.step(20)
expect(struct.unpack('chd', receiver.getData()) == (b'a', 45, 120.08), 'packed')
expect(receiver.getDataSize() == 16, 'size')
expect(emitter.send('x' * 17) == 0, 'too large for the buffer')
print('all read')
robot.simulationQuit(0)
