// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SUPERVISOR_HPP
#define WEBOTS_SUPERVISOR_HPP

#include <string>
#include <webots/Field.hpp>
#include <webots/Node.hpp>
#include <webots/Proto.hpp>
#include <webots/Robot.hpp>

namespace webots {

// A Robot that may look at the world and change it: its field supervisor is TRUE.
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
  // The one of this program; null if its robot is no Supervisor object.
  static Supervisor *getSupervisorInstance();

  virtual void simulationSetMode(SimulationMode mode);
  SimulationMode simulationGetMode() const;
  virtual void simulationReset();
  virtual void simulationResetPhysics();
  virtual void simulationQuit(int status = 0);
  virtual void worldLoad(const std::string &file);
  virtual void worldReload();
  virtual bool worldSave();
  virtual bool worldSave(const std::string &file);

  virtual void exportImage(const std::string &file, int quality) const;
  virtual bool animationStartRecording(const std::string &file);
  virtual bool animationStopRecording();
  virtual void movieStartRecording(const std::string &file, int width, int height, int codec,
                                   int quality, int acceleration, bool caption) const;
  virtual void movieStopRecording();
  bool movieIsReady() const;
  bool movieFailed() const;
  // x, y and size are parts of the picture's; color is 0xRRGGBB.
  virtual void setLabel(int id, const std::string &label, double xpos, double ypos, double size,
                        int color, double transparency = 0.0, const std::string &font = "Arial");

  Node *getRoot() const;
  Node *getSelf() const;
  Node *getSelected() const;
  Node *getFromDef(const std::string &def) const;
  Node *getFromId(int id) const;
  Node *getFromDevice(const Device *device) const;
  Node *getFromDeviceTag(int tag) const;

  bool virtualRealityHeadsetIsUsed() const;
  const double *virtualRealityHeadsetGetPosition() const;
  const double *virtualRealityHeadsetGetOrientation() const;

  // Spellings of older releases.
  virtual void loadWorld(const std::string &file) { worldLoad(file); }
  virtual bool saveWorld() { return worldSave(); }
  virtual bool saveWorld(const std::string &file) { return worldSave(file); }
  virtual void simulationRevert() { worldReload(); }
  virtual void simulationPhysicsReset() { simulationResetPhysics(); }
  virtual void startMovie(const std::string &file, int width, int height, int codec, int quality,
                          int acceleration, bool caption) const {
    movieStartRecording(file, width, height, codec, quality, acceleration, caption);
  }
  virtual void stopMovie() { movieStopRecording(); }
  virtual void startAnimation(const std::string &file) { animationStartRecording(file); }
  virtual void stopAnimation() { animationStopRecording(); }
  int movieGetStatus() const;
  int getMovieStatus() const { return movieGetStatus(); }
};

}  // namespace webots

#endif
