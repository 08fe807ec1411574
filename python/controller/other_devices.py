# SPDX-License-Identifier: Apache-2.0
"""Devices that send, receive, grip, write and shine."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

import struct
from ctypes import c_bool, c_char_p, c_double, c_int, c_void_p, string_at
from typing import Any, List, Optional, Sequence, Union

from .device import Device
from .wb import (TAG, Floats3, Floats4, Numbers3, Numbers4, Setting, Value, binds, call, declare,
                 encoded)

Data = Union[str, bytes, bytearray, memoryview, Sequence[float]]

declare('wb_emitter_send', c_int, TAG, c_char_p, c_int)
declare('wb_receiver_get_data', c_void_p, TAG)
declare('wb_speaker_play_sound', None, TAG, TAG, c_char_p, c_double, c_double, c_double, c_bool)


def _packed(data: Data) -> bytes:
    """The bytes of a text, of bytes, or of a list of truth values, integers or floats."""
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    values = list(data)
    for kind, code in ((bool, '?'), (int, 'i')):
        if all(isinstance(value, kind) for value in values):
            return struct.pack(f'={len(values)}{code}', *values)
    return struct.pack(f'={len(values)}d', *values)


@binds('wb_connector_')
class Connector(Device):
    """A connector that holds another one."""

    def enablePresence(self, samplingPeriod: int) -> None:
        """Looks for a partner every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disablePresence(self) -> None:
        """Stops looking for a partner."""

    def getPresenceSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getPresence(self) -> int:
        """1: a partner fits or is attached; 0: none; -1: unknown."""

    def lock(self) -> None:
        """Holds the partner, now or, with autoLock, as soon as one is present."""

    def unlock(self) -> None:
        """Releases the partner."""

    def isLocked(self) -> bool:
        """Whether the connector is told to lock; not whether it holds anything."""

    presence_sampling_period = Setting(getPresenceSamplingPeriod, enablePresence)
    presence = Value(getPresence)
    is_locked = Value(isLocked)


@binds('wb_emitter_')
class Emitter(Device):
    """A sender of packets."""

    CHANNEL_BROADCAST = -1

    def send(self, data: Data, length: Optional[int] = None) -> int:
        """Queues a packet: a text (UTF-8), bytes or a list of numbers. 1; 0 if it is too large."""
        packet = _packed(data)
        return int(call('wb_emitter_send', self._tag, packet,
                        len(packet) if length is None else min(length, len(packet))))

    def getBufferSize(self) -> int:
        """The size of the buffer [bytes]; -1: no limit."""

    def setChannel(self, channel: int) -> None:
        """Sets the channel, 0 or more, or CHANNEL_BROADCAST for receivers of every channel."""

    def getChannel(self) -> int:
        """The channel, 0 or more; CHANNEL_BROADCAST: every one."""

    def setRange(self, range: float) -> None:
        """Sets the range [m], 0 to the field maxRange; -1: no limit."""

    def getRange(self) -> float:
        """The range [m]; -1: no limit."""

    buffer_size = Value(getBufferSize)
    channel = Setting(getChannel, setChannel)
    range = Setting(getRange, setRange)


@binds('wb_receiver_')
class Receiver(Device):
    """A receiver of packets."""

    CHANNEL_BROADCAST = -1

    def getData(self) -> bytes:
        """The bytes of the first packet; b'' without one."""
        pointer = call('wb_receiver_get_data', self._tag)
        return string_at(pointer, self.getDataSize()) if pointer else b''

    def getBytes(self) -> bytes:
        """The bytes of the first packet; b'' without one."""
        return self.getData()

    def getString(self) -> str:
        """The first packet as a text in UTF-8, without the zeros at its end."""
        return self.getData().rstrip(b'\0').decode('utf-8', 'replace')

    def getBools(self) -> List[bool]:
        """The first packet as truth values of one byte each."""
        return self._unpacked('?')

    def getInts(self) -> List[int]:
        """The first packet as whole numbers of four bytes each."""
        return self._unpacked('i')

    def getFloats(self) -> List[float]:
        """The first packet as doubles of eight bytes each."""
        return self._unpacked('d')

    def _unpacked(self, code: str) -> List[Any]:
        data = self.getData()
        size = struct.calcsize('=' + code)
        count = len(data) // size
        return list(struct.unpack(f'={count}{code}', data[:count * size]))

    def enable(self, samplingPeriod: int) -> None:
        """Fetches packets every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops receiving; what arrives meanwhile is lost."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def setChannel(self, channel: int) -> None:
        """Sets the channel, 0 or more, or CHANNEL_BROADCAST for emitters of every channel."""

    def getChannel(self) -> int:
        """The channel, 0 or more; CHANNEL_BROADCAST: every one."""

    def getQueueLength(self) -> int:
        """The number of packets in the queue."""

    def nextPacket(self) -> None:
        """Drops the first packet of the queue."""

    def getDataSize(self) -> int:
        """The size of the first packet [bytes]; -1 when the queue is empty."""

    def getSignalStrength(self) -> float:
        """1 / (distance from the emitter [m])² of the first packet; NaN without one."""

    def getEmitterDirection(self) -> Floats3:
        """The unit vector towards the emitter, in the axes of the receiver."""

    data = Value(getData)
    bytes = Value(getBytes)
    string = Value(getString)
    bools = Value(getBools)
    ints = Value(getInts)
    floats = Value(getFloats)
    sampling_period = Setting(getSamplingPeriod, enable)
    channel = Setting(getChannel, setChannel)
    queue_length = Value(getQueueLength)
    data_size = Value(getDataSize)
    signal_strength = Value(getSignalStrength)
    emitter_direction = Value(getEmitterDirection)


@binds('wb_led_')
class LED(Device):
    """A light; only LightSensors see it."""

    def set(self, value: int) -> None:
        """0: off; n: item n of the field color; with gradual TRUE, a brightness or 0xRRGGBB."""

    def get(self) -> int:
        """The value set last; 0 before."""

    value = Setting(get, set)


@binds('wb_pen_')
class Pen(Device):
    """A pen, whose ink cameras and infra-red distance sensors see."""

    def write(self, write: bool) -> None:
        """Says whether it writes from the next step on."""

    def setInkColor(self, color: int, density: float) -> None:
        """Sets a color 0xRRGGBB and a density from 0 to 1 of what it writes next."""


@binds('wb_skin_')
class Skin(Device):
    """A skin; a picture only."""

    def setBoneOrientation(self, index: int, orientation: Numbers4, absolute: bool) -> None:
        """Only prints a message: a Skin has no bones here."""

    def setBonePosition(self, index: int, position: Numbers3, absolute: bool) -> None:
        """Only prints a message: a Skin has no bones here."""

    def getBoneCount(self) -> int:
        """0: a Skin has no bones here."""

    def getBoneName(self, index: int) -> str:
        """'': a Skin has no bones here."""

    def getBoneOrientation(self, index: int, absolute: bool) -> Floats4:
        """Four NaN: a Skin has no bones here."""

    def getBonePosition(self, index: int, absolute: bool) -> Floats3:
        """Three NaN: a Skin has no bones here."""

    bone_count = Value(getBoneCount)


@binds('wb_speaker_')
class Speaker(Device):
    """A speaker; nothing is played."""

    @staticmethod
    def playSound(left: Speaker, right: Speaker, sound: str, volume: float = 1.0,
                  pitch: float = 1.0, balance: float = 0.0, loop: bool = False) -> None:
        """Checks `volume` 0 to 1, `pitch` > 0 and `balance` -1 to 1 only: nothing is played."""
        call('wb_speaker_play_sound', left._tag, right._tag, encoded(sound), volume, pitch, balance,
             loop)

    def stop(self, sound: Optional[str]) -> None:
        """Stops a sound; None: every sound."""

    def isSoundPlaying(self, sound: str) -> bool:
        """False: nothing is played."""

    def setEngine(self, engine: str) -> bool:
        """Sets the engine, 'pico' or 'microsoft'; False for others."""

    def setLanguage(self, language: str) -> bool:
        """Sets the language, such as 'en-US'; False if the engine does not have it."""

    def getEngine(self) -> str:
        """The engine, 'pico' or 'microsoft'."""

    def getLanguage(self) -> str:
        """The language, such as 'en-US'."""

    def speak(self, text: str, volume: float) -> None:
        """Checks a text and a volume from 0 to 1 only: nothing is spoken."""

    def isSpeaking(self) -> bool:
        """False: nothing is spoken."""

    engine = Setting(getEngine, setEngine)
    language = Setting(getLanguage, setLanguage)
    is_speaking = Value(isSpeaking)


@binds('wb_vacuum_gripper_')
class VacuumGripper(Device):
    """A gripper that holds what it touches while it is on."""

    def enablePresence(self, samplingPeriod: int) -> None:
        """Senses what it holds every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disablePresence(self) -> None:
        """Stops sensing."""

    def getPresenceSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getPresence(self) -> bool:
        """Whether it held something at the last sample; False before the first."""

    def isOn(self) -> bool:
        """Whether the gripper is on."""

    def turnOn(self) -> None:
        """Grips what it touches, from now on."""

    def turnOff(self) -> None:
        """Releases what it holds."""

    presence_sampling_period = Setting(getPresenceSamplingPeriod, enablePresence)
    presence = Value(getPresence)
    is_on = Value(isOn)
