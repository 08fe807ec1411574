# SPDX-License-Identifier: Apache-2.0
"""Devices that send, receive, grip, write and shine."""
import struct
from ctypes import c_bool, c_char_p, c_double, c_int, c_void_p, string_at

from .device import Device
from .wb import TAG, binds, call, declare, encoded

declare('wb_emitter_send', c_int, TAG, c_char_p, c_int)
declare('wb_receiver_get_data', c_void_p, TAG)
declare('wb_speaker_play_sound', None, TAG, TAG, c_char_p, c_double, c_double, c_double, c_bool)


def _packed(data):
    """The bytes of a text, of bytes, or of a list of truth values, whole numbers or numbers."""
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    values = list(data)
    for kind, code in ((bool, '?'), (int, 'i')):
        if all(isinstance(value, kind) for value in values):
            return struct.pack(f'={len(values)}{code}', *values)
    return struct.pack(f'={len(values)}d', *values)


@binds('wb_connector_', '''
    void enablePresence(int samplingPeriod)
    void disablePresence()
    int getPresenceSamplingPeriod()
    int getPresence()
    void lock()
    void unlock()
    bool isLocked()
''')
class Connector(Device):
    pass


@binds('wb_emitter_', '''
    int getBufferSize()
    void setChannel(int channel)
    int getChannel()
    void setRange(double range)
    double getRange()
''')
class Emitter(Device):
    CHANNEL_BROADCAST = -1

    def send(self, data, length=None):
        """Queues a packet: a text (UTF-8), bytes or a list of numbers. 0 if it is too large."""
        data = _packed(data)
        return call('wb_emitter_send', self._tag, data,
                    len(data) if length is None else min(length, len(data)))


@binds('wb_receiver_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    void setChannel(int channel)
    int getChannel()
    int getQueueLength()
    void nextPacket()
    int getDataSize()
    double getSignalStrength()
    double[3] getEmitterDirection()
''')
class Receiver(Device):
    CHANNEL_BROADCAST = -1

    def getData(self):
        """The bytes of the packet at the head of the queue."""
        pointer = call('wb_receiver_get_data', self._tag)
        return string_at(pointer, self.getDataSize()) if pointer else b''

    def getBytes(self):
        return self.getData()

    def getString(self):
        return self.getData().rstrip(b'\0').decode('utf-8', 'replace')

    def getBools(self):
        return self._unpacked('?')

    def getInts(self):
        return self._unpacked('i')

    def getFloats(self):
        """Of a packet of doubles."""
        return self._unpacked('d')

    def _unpacked(self, code):
        data = self.getData()
        size = struct.calcsize('=' + code)
        count = len(data) // size
        return list(struct.unpack(f'={count}{code}', data[:count * size]))


@binds('wb_led_', '''
    void set(int value)
    int get()
''')
class LED(Device):
    def _get(self):
        return self.get()

    def _set(self, value):
        self.set(value)

    value = property(_get, _set)


@binds('wb_pen_', '''
    void write(bool write)
    void setInkColor(int color, double density)
''')
class Pen(Device):
    pass


@binds('wb_skin_', '''
    void setBoneOrientation(int index, double[4] orientation, bool absolute)
    void setBonePosition(int index, double[3] position, bool absolute)
    int getBoneCount()
    string getBoneName(int index)
    double[4] getBoneOrientation(int index, bool absolute)
    double[3] getBonePosition(int index, bool absolute)
''')
class Skin(Device):
    pass


@binds('wb_speaker_', '''
    void stop(string sound)
    bool isSoundPlaying(string sound)
    bool setEngine(string engine)
    bool setLanguage(string language)
    string getEngine()
    string getLanguage()
    void speak(string text, double volume)
    bool isSpeaking()
''')
class Speaker(Device):
    @staticmethod
    def playSound(left, right, sound, volume=1.0, pitch=1.0, balance=0.0, loop=False):
        call('wb_speaker_play_sound', left._tag, right._tag, encoded(sound), volume, pitch, balance,
             loop)


@binds('wb_vacuum_gripper_', '''
    void enablePresence(int samplingPeriod)
    void disablePresence()
    int getPresenceSamplingPeriod()
    bool getPresence()
    bool isOn()
    void turnOn()
    void turnOff()
''')
class VacuumGripper(Device):
    pass
