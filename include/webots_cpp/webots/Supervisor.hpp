// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SUPERVISOR_HPP
#define WEBOTS_SUPERVISOR_HPP

#include <string>
#include <webots/Field.hpp>
#include <webots/Node.hpp>
#include <webots/Proto.hpp>
#include <webots/Robot.hpp>

namespace webots {

// A Robot that may read and change the world, since its field supervisor is TRUE. For another robot
// the calls are errors and do nothing. webots/supervisor.h has the rules: a change acts before the
// next step, and a query is answered at once.
class Supervisor : public Robot {
 public:
  typedef enum {
    SIMULATION_MODE_PAUSE = 0,
    SIMULATION_MODE_REAL_TIME,
    SIMULATION_MODE_FAST,
    SIMULATION_MODE_RUN = SIMULATION_MODE_FAST
  } SimulationMode;
  enum {
    MOVIE_READY = 0,
    MOVIE_RECORDING,
    MOVIE_SAVING,
    MOVIE_WRITE_ERROR,
    MOVIE_ENCODING_ERROR,
    MOVIE_SIMULATION_ERROR
  };

  Supervisor() = default;
  ~Supervisor() override = default;
  // The Supervisor of this program; null if its robot is no Supervisor object.
  static Supervisor *getSupervisorInstance();

  // Stores a mode, a constant SIMULATION_MODE_..., which has no effect here.
  virtual void simulationSetMode(SimulationMode mode);
  // The mode that was set last.
  SimulationMode simulationGetMode() const;
  // Goes back to the world as it was loaded, at time 0; controllers go on.
  virtual void simulationReset();
  // Stops every Solid.
  virtual void simulationResetPhysics();
  // Ends the simulation with this exit status; the next step returns -1.
  virtual void simulationQuit(int status = 0);
  // Ends this run of the world and begins one of `file`.
  virtual void worldLoad(const std::string &file);
  // Ends this run of the world and begins another one.
  virtual void worldReload();
  // Writes the world to a file, or to its own one. False, and a message, if that fails.
  virtual bool worldSave();
  virtual bool worldSave(const std::string &file);

  // Does nothing: there is no picture.
  virtual void exportImage(const std::string &file, int quality) const;
  // False: nothing is recorded.
  virtual bool animationStartRecording(const std::string &file);
  virtual bool animationStopRecording();
  // Does nothing: nothing is recorded.
  virtual void movieStartRecording(const std::string &file, int width, int height, int codec,
                                   int quality, int acceleration, bool caption) const;
  virtual void movieStopRecording();
  // True: nothing is recorded.
  bool movieIsReady() const;
  // False: nothing is recorded.
  bool movieFailed() const;
  // Writes a text into the trace. xpos, ypos and size are parts of the picture, 0 to 1; color is
  // 0xRRGGBB.
  virtual void setLabel(int id, const std::string &label, double xpos, double ypos, double size,
                        int color, double transparency = 0.0, const std::string &font = "Arial");

  // The root of the world.
  Node *getRoot() const;
  // The node of this robot.
  Node *getSelf() const;
  // Null: there is no window to select a node in.
  Node *getSelected() const;
  // The node of a DEF name, or of a path of them as "ARM::HAND"; null without one.
  Node *getFromDef(const std::string &def) const;
  // The node of that number; null without one.
  Node *getFromId(int id) const;
  // The node of a device; null if it is no device of this robot.
  Node *getFromDevice(const Device *device) const;
  // The node of a device by its number; 0: of the robot.
  Node *getFromDeviceTag(int tag) const;

  // False: there is no headset.
  bool virtualRealityHeadsetIsUsed() const;
  // Null: there is no headset.
  const double *virtualRealityHeadsetGetPosition() const;
  const double *virtualRealityHeadsetGetOrientation() const;

  // Older releases have the names below.
  virtual void loadWorld(const std::string &file) { worldLoad(file); }
  // Writes the world to `file`, or to the file it was read from. False if that fails.
  virtual bool saveWorld() { return worldSave(); }
  virtual bool saveWorld(const std::string &file) { return worldSave(file); }
  // Ends this run of the world and begins another one.
  virtual void simulationRevert() { worldReload(); }
  // Stops every Solid.
  virtual void simulationPhysicsReset() { simulationResetPhysics(); }
  // Does nothing: nothing is recorded.
  virtual void startMovie(const std::string &file, int width, int height, int codec, int quality,
                          int acceleration, bool caption) const {
    movieStartRecording(file, width, height, codec, quality, acceleration, caption);
  }
  // Does nothing: nothing is recorded.
  virtual void stopMovie() { movieStopRecording(); }
  virtual void startAnimation(const std::string &file) { animationStartRecording(file); }
  virtual void stopAnimation() { animationStopRecording(); }
  // MOVIE_READY: nothing is recorded.
  int movieGetStatus() const;
  int getMovieStatus() const { return movieGetStatus(); }
};

}  // namespace webots

#endif
