// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "servosim/joint_type.h"
#include "servosim/math.h"

namespace servosim {

class Motor;
class SimulationCore;
struct ServoModel;
struct ServoReading;

/// What a joint does, for reading. Units are rad or m for positions and N·m or N for efforts. All
/// numbers are NaN for a joint that has left the tree.
///
/// Threads: a plain value.
struct JointReading {
  /// The position of the endpoint [rad|m], with all its turns. A motor with backlash may be
  /// elsewhere.
  double position = 0.0;
  /// The measured velocity of the endpoint relative to the parent [rad/s|m/s].
  double velocity = 0.0;
  /// The velocity that the motor has told the joint in the last step [rad/s|m/s]; 0 without a motor
  /// and in force control.
  double commanded_velocity = 0.0;
  /// What the whole joint put on the endpoint along the positive axis in the last step [N·m|N]:
  /// motor, friction, stop, spring and damper.
  double effort = 0.0;
};

/// What the endpoint of a joint has passed on to its parent in the last step, in the axes of the
/// endpoint and about its origin: docs/explanation/conventions.md.
///
/// Threads: a plain value.
struct JointLoad {
  Vec3 force;   ///< [N]
  Vec3 torque;  ///< [N·m]
};

/// A muscle of a joint's motor, for reading.
///
/// Threads: a plain value.
struct MuscleReading {
  /// How hard it pulls, from -1 to 1. In force control it is the force that was set, as a share of
  /// the maximum. Otherwise it is the force feedback as a share of the maximum, with the opposite
  /// sign for a slider, as in Webots. Without Physics it is the velocity as a share of maxVelocity.
  /// It is 0 if Joint::set_state() was called since the last step.
  double status = 0.0;
  /// The distance between its two ends [m].
  double length = 0.0;
  /// The radius in its middle [m]: its volume is constant. Infinite at length 0.
  double radius = 0.0;
};

/// What a propeller does, for reading. All numbers are NaN for one that has left the tree.
///
/// Threads: a plain value.
struct PropellerReading {
  /// The speed of its shaft [rad/s].
  double speed = 0.0;
  /// The force along its axis in the last step [N].
  double thrust = 0.0;
  /// The torque about its axis that turned the blades in the last step [N·m]; the body gets the
  /// opposite.
  double torque = 0.0;
};

/// A joint of a Simulation: one degree of freedom of a joint node. It is a handle, cheap to copy,
/// that is valid as long as the simulation. Its index stays the same when a Supervisor changes the
/// tree.
///
/// Positions grow in the direction of the joint's axis: a right-handed turn about it for a hinge, a
/// displacement along it for a slider.
///
/// Threads: one at a time, with the Simulation.
class Joint {
 public:
  /// Only Simulation uses it. @throws std::out_of_range
  Joint(SimulationCore& core, int index);

  /// The index in Simulation::joints().
  int index() const { return index_; }
  /// `robot/joint`, unique in the world. The part after the slash is the name of the motor; without
  /// a motor it is that of the sensor, else the DEF name, else the name of the endpoint. Joints of
  /// several axes add ` axis 1` to ` axis 3`. The reference is valid until the tree changes: by an
  /// edit of a supervisor, or by restoring a state of another tree.
  const std::string& name() const;
  /// Rotational or linear, which tells the units of everything else.
  JointType type() const;
  /// False once the joint has left the tree: its readings are then NaN.
  bool exists() const;

  /// The position of the endpoint [rad|m], with all its turns; NaN once the joint has left the
  /// tree.
  double position() const;
  /// The measured velocity [rad/s|m/s]; NaN once the joint has left the tree.
  double velocity() const;
  /// What the whole joint put on the endpoint in the last step [N·m|N]; NaN once it has left the
  /// tree.
  double effort() const;
  /// All of these at once. This costs no more than velocity() or effort() alone.
  JointReading reading() const;
  /// The motor that drives it, with its target and limits; null if there is none, or if the joint
  /// has left the tree. It lives as long as the simulation.
  const Motor* motor() const;
  /// The real servo that its motor is; null for a motor as in Webots, and without a motor. Valid
  /// until the tree changes.
  const ServoModel* servo_model() const;
  /// What that servo measures of itself, in the last step; nothing without one.
  std::optional<ServoReading> servo_reading() const;
  /// What its `forceTorqueSensor` measures, without noise and at any time; nothing without one.
  std::optional<JointLoad> load() const;
  /// The number of muscles of its motor. A joint without an endPoint, where muscles end, has none.
  int muscle_count() const;
  /// @param index  from 0 to muscle_count() - 1
  /// @throws std::out_of_range for another index
  MuscleReading muscle(int index) const;

  /// Puts the joint to a position and velocity. Everything behind the joint moves along as one
  /// rigid piece: the joints there keep their positions but lose their speeds, so parents are to be
  /// set before children. Joints of a closed loop must be set so that it remains closed.
  /// @param position  [rad|m]
  /// @param velocity  [rad/s|m/s]
  /// @throws std::invalid_argument if a value is not finite, if the joint closes a loop by a
  ///   SolidReference, or if it has left the tree; nothing has changed then
  void set_state(double position, double velocity = 0.0);

 private:
  int index_in_scene() const;

  SimulationCore* core_;  // not null
  int index_;             // of a joint that is or was in the tree
};

/// A propeller of a Simulation that a motor of a robot turns. It is a handle with the rules of
/// Joint.
///
/// Threads: one at a time, with the Simulation.
class Propeller {
 public:
  /// Only Simulation uses it. @throws std::out_of_range
  Propeller(SimulationCore& core, int index);

  /// The index in Simulation::propellers().
  int index() const { return index_; }
  /// `robot/motor`; not unique where motors of one robot have the same name. The reference is valid
  /// as long as that of Joint::name().
  const std::string& name() const;
  /// What it did in the last step; NaN once it has left the tree.
  PropellerReading reading() const;

 private:
  SimulationCore* core_;  // not null
  int index_;
};

}  // namespace servosim
