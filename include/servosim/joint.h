// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "servosim/joint_type.h"

namespace servosim {

class Motor;
struct SimulationCore;

/// What a joint does, for reading. Units are rad or m, N·m or N.
/// Threads: a plain value.
struct JointReading {
  double position = 0.0;            ///< of the endpoint; a motor with backlash may be elsewhere
  double velocity = 0.0;            ///< measured, of the endpoint relative to the parent
  double commanded_velocity = 0.0;  ///< by its motor; 0 without one or in force control
  double effort = 0.0;  ///< all the joint put on the endpoint along +axis in the last step
};

/// A muscle of a joint's motor, for reading.
/// Threads: a plain value.
struct MuscleReading {
  /// How hard it pulls, from -1 to 1: force control by the force, else by the force feedback, each
  /// as a share of the maximum (a slider's feedback with the opposite sign); without Physics by the
  /// velocity. 0 when Joint::set_state() was called since the last step.
  double status = 0.0;
  double length = 0.0;  ///< [m]
  double radius = 0.0;  ///< [m], in the middle; infinite at length 0
};

/// What a propeller does, for reading.
/// Threads: a plain value.
struct PropellerReading {
  double speed = 0.0;   ///< of its shaft [rad/s]
  double thrust = 0.0;  ///< along its axis in the last step [N]
  double torque = 0.0;  ///< that turned the blades in the last step, about the axis [N·m]
};

/// A joint of a Simulation: one degree of freedom of a joint node. A handle, cheap to copy, that is
/// valid as long as the simulation: its index stays the same when a Supervisor changes the tree.
///
/// Threads: one at a time, with the Simulation.
class Joint {
 public:
  /// Used by Simulation. @throws std::out_of_range
  Joint(SimulationCore& core, int index);

  int index() const { return index_; }
  /// `robot/joint`, unique in the world; the joint part is the motor's name, else the sensor's,
  /// else the DEF, else the endpoint's name, with ` axis 1` to ` axis 3` in joints of several axes.
  /// The reference is valid until the tree changes: by an edit of a supervisor, or by a state of
  /// another tree.
  const std::string& name() const;
  JointType type() const;
  /// False once it has left the tree: it then reads NaN.
  bool exists() const;

  double position() const;       ///< [rad|m]
  double velocity() const;       ///< measured [rad/s|m/s]
  double effort() const;         ///< [N·m|N]
  JointReading reading() const;  ///< all of it
  /// The motor that drives it, with its target and limits; nullptr for none. Lives as long as the
  /// simulation.
  const Motor* motor() const;
  /// How many muscles its motor has; 0 for a joint without an endPoint, where they end.
  int muscle_count() const;
  /// @throws std::out_of_range
  MuscleReading muscle(int index) const;

  /// Puts it to a position and velocity. Position [rad|m], velocity [rad/s|m/s]. Everything behind
  /// it moves along as one rigid piece: the joints there keep their positions but lose their
  /// speeds, so set parents before children. Joints of a closed loop must be set so that it stays
  /// closed. @throws std::invalid_argument if not finite, if the joint closes a loop by a
  /// SolidReference, or if it does not exist any more.
  void set_state(double position, double velocity = 0.0);

 private:
  int index_in_scene() const;

  SimulationCore* core_;  // not null
  int index_;             // of a joint that is or was there
};

/// A propeller of a Simulation that a robot's motor turns. A handle, as Joint.
///
/// Threads: one at a time, with the Simulation.
class Propeller {
 public:
  /// Used by Simulation. @throws std::out_of_range
  Propeller(SimulationCore& core, int index);

  int index() const { return index_; }
  /// `robot/motor`; not unique where motors of one robot are called the same. Valid as long as
  /// Joint::name().
  const std::string& name() const;
  PropellerReading reading() const;  ///< NaN once it has left the tree

 private:
  SimulationCore* core_;  // not null
  int index_;
};

}  // namespace servosim
