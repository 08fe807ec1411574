# SPDX-License-Identifier: Apache-2.0
"""A robot that may look at the world and change it."""
from ctypes import c_bool, c_char_p

from .robot import Robot
from .wb import HANDLE, TAG, binds, call, declare, encoded, object_of

declare('wb_supervisor_world_save', c_bool, c_char_p)
declare('wb_supervisor_node_get_from_device', HANDLE, TAG)


@binds('wb_supervisor_', '''
    void simulationSetMode(int mode)
    int simulationGetMode()
    void simulationReset()
    void simulationResetPhysics()
    void simulationQuit(int status=0)
    void worldLoad(string file)
    void worldReload()
    void exportImage(string file, int quality)
    bool animationStartRecording(string file)
    bool animationStopRecording()
    void startAnimation(string file)
    void stopAnimation()
    void movieStartRecording(string file, int width, int height, int codec, int quality,
        int acceleration, bool caption)
    void movieStopRecording()
    bool movieIsReady()
    bool movieFailed()
    int movieGetStatus()
    void setLabel(int id, string label, double x, double y, double size, int color,
        double transparency=0, string font='Arial')
    Node getRoot() =wb_supervisor_node_get_root
    Node getSelf() =wb_supervisor_node_get_self
    Node getSelected() =wb_supervisor_node_get_selected
    Node getFromDef(string name) =wb_supervisor_node_get_from_def
    Node getFromId(int id) =wb_supervisor_node_get_from_id
    bool virtualRealityHeadsetIsUsed()
    double[3] virtualRealityHeadsetGetPosition()
    double[9] virtualRealityHeadsetGetOrientation()
    void loadWorld(string file) =wb_supervisor_world_load
    void simulationRevert() =wb_supervisor_world_reload
    void simulationPhysicsReset() =wb_supervisor_simulation_reset_physics
    void startMovie(string file, int width, int height, int codec, int quality,
        int acceleration, bool caption) =wb_supervisor_movie_start_recording
    void stopMovie() =wb_supervisor_movie_stop_recording
    int getMovieStatus() =wb_supervisor_movie_get_status
''', own=None)
class Supervisor(Robot):
    """Its robot's field supervisor is TRUE."""

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

    def worldSave(self, file=None):
        """To the file it was read from, or to another one. False if that fails."""
        return call('wb_supervisor_world_save', encoded(file))

    def saveWorld(self, file=None):
        return self.worldSave(file)

    def getFromDevice(self, device):
        tag = device if isinstance(device, int) else device.getTag()
        return object_of('Node', call('wb_supervisor_node_get_from_device', tag))

    getFromDeviceTag = getFromDevice

    simulation_mode = property(lambda self: self.simulationGetMode(),
                               lambda self, mode: self.simulationSetMode(mode))
