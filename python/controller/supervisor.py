# SPDX-License-Identifier: Apache-2.0
"""A robot that may look at the world and change it."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

from ctypes import c_bool, c_char_p
from typing import Optional, Union

from .device import Device
from .node import Node
from .robot import Robot
from .wb import (HANDLE, TAG, Floats3, Floats9, Getter, Setting, binds, call, declare, encoded,
                 object_of)

declare('wb_supervisor_world_save', c_bool, c_char_p)
declare('wb_supervisor_node_get_from_device', HANDLE, TAG)


@binds('wb_supervisor_', own=None, names={
    'getRoot': 'wb_supervisor_node_get_root',
    'getSelf': 'wb_supervisor_node_get_self',
    'getSelected': 'wb_supervisor_node_get_selected',
    'getFromDef': 'wb_supervisor_node_get_from_def',
    'getFromId': 'wb_supervisor_node_get_from_id',
    'loadWorld': 'wb_supervisor_world_load',
    'simulationRevert': 'wb_supervisor_world_reload',
    'simulationPhysicsReset': 'wb_supervisor_simulation_reset_physics',
    'startMovie': 'wb_supervisor_movie_start_recording',
    'stopMovie': 'wb_supervisor_movie_stop_recording',
    'getMovieStatus': 'wb_supervisor_movie_get_status',
})
class Supervisor(Robot):
    """A robot whose field supervisor is TRUE."""

    SIMULATION_MODE_PAUSE = 0
    SIMULATION_MODE_REAL_TIME = 1
    SIMULATION_MODE_FAST = 2
    SIMULATION_MODE_RUN = SIMULATION_MODE_FAST
    MOVIE_READY = 0
    MOVIE_RECORDING = 1
    MOVIE_SAVING = 2
    MOVIE_WRITE_ERROR = 3
    MOVIE_ENCODING_ERROR = 4
    MOVIE_SIMULATION_ERROR = 5

    def worldSave(self, file: Optional[str] = None) -> bool:
        """Writes the world to `file`, or to the file it was read from. False if that fails."""
        return bool(call('wb_supervisor_world_save', encoded(file)))

    def saveWorld(self, file: Optional[str] = None) -> bool:
        """Writes the world to `file`, or to the file it was read from. False if that fails."""
        return self.worldSave(file)

    def getFromDevice(self, device: Union[Device, int]) -> Optional[Node]:
        """The node of a device, or of its number; None without one."""
        tag = device if isinstance(device, int) else device.getTag()
        node: Optional[Node] = object_of('Node', call('wb_supervisor_node_get_from_device', tag))
        return node

    getFromDeviceTag = getFromDevice

    def simulationSetMode(self, mode: int) -> None:
        """Stores a mode, a constant SIMULATION_MODE_..., which has no effect here."""

    def simulationGetMode(self) -> int:
        """The mode that was set last."""

    def simulationReset(self) -> None:
        """Goes back to the world as it was loaded, at time 0; controllers go on."""

    def simulationResetPhysics(self) -> None:
        """Stops every Solid."""

    def simulationQuit(self, status: int = 0) -> None:
        """Ends the simulation with this exit status; the next step returns -1."""

    def worldLoad(self, file: str) -> None:
        """Ends this run of the world and begins one of `file`."""

    def worldReload(self) -> None:
        """Ends this run of the world and begins another one."""

    def exportImage(self, file: str, quality: int) -> None:
        """Writes nothing, and makes the run incomplete: exit code 3, kind `pictures`."""

    def animationStartRecording(self, file: str) -> bool:
        """False: nothing is recorded."""

    def animationStopRecording(self) -> bool:
        """False: nothing is recorded."""

    def startAnimation(self, file: str) -> None:
        """Does nothing: nothing is recorded."""

    def stopAnimation(self) -> None:
        """Does nothing: nothing is recorded."""

    def movieStartRecording(self, file: str, width: int, height: int, codec: int, quality: int,
                            acceleration: int, caption: bool) -> None:
        """Writes nothing, and makes the run incomplete: exit code 3, kind `pictures`."""

    def movieStopRecording(self) -> None:
        """Does nothing: nothing is recorded."""

    def movieIsReady(self) -> bool:
        """True: nothing is recorded."""

    def movieFailed(self) -> bool:
        """False: nothing is recorded."""

    def movieGetStatus(self) -> int:
        """MOVIE_READY: nothing is recorded."""

    def setLabel(self, id: int, label: str, x: float, y: float, size: float, color: int,
                 transparency: float = 0, font: str = 'Arial') -> None:
        """Writes a text into the trace; `x` and `y` are 0 to 1, `color` is 0xRRGGBB."""

    def getRoot(self) -> Optional[Node]:
        """The root of the world."""

    def getSelf(self) -> Optional[Node]:
        """The node of this robot."""

    def getSelected(self) -> Optional[Node]:
        """None: nobody selects a node."""

    def getFromDef(self, name: str) -> Optional[Node]:
        """The node of a DEF name, or of a path of them as 'ARM.HAND'; None without one."""

    def getFromId(self, id: int) -> Optional[Node]:
        """The node of that number; None without one."""

    def virtualRealityHeadsetIsUsed(self) -> bool:
        """False: there is no headset."""

    def virtualRealityHeadsetGetPosition(self) -> Floats3:
        """Three NaN: there is no headset."""

    def virtualRealityHeadsetGetOrientation(self) -> Floats9:
        """Nine NaN: there is no headset."""

    def loadWorld(self, file: str) -> None:
        """Ends this run of the world and begins one of `file` (older releases)."""

    def simulationRevert(self) -> None:
        """Ends this run of the world and begins another one (older releases)."""

    def simulationPhysicsReset(self) -> None:
        """Stops every Solid (older releases)."""

    def startMovie(self, file: str, width: int, height: int, codec: int, quality: int,
                   acceleration: int, caption: bool) -> None:
        """Does nothing: nothing is recorded."""

    def stopMovie(self) -> None:
        """Does nothing: nothing is recorded."""

    def getMovieStatus(self) -> int:
        """MOVIE_READY: nothing is recorded."""

    simulation_mode = Setting(simulationGetMode, simulationSetMode)
    root = Getter(getRoot)
    self = Getter(getSelf)
    selected = Getter(getSelected)
    movie_status = Getter(getMovieStatus)
