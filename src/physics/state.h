// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/backlash.h"
#include "servosim/math.h"

namespace servosim {

/// The state of a joint while the world runs, shared by the physics (which reads `drive` and writes
/// the rest) and the devices (which do the reverse). Positive = the endpoint moves along +axis.
struct JointState {
  double position = 0.0;  ///< [rad|m], many turns; read once a step
  double velocity = 0.0;  ///< measured [rad/s|m/s]; see PhysicsWorld::measure()

  /// The motor's command for the next step.
  using Drive = JointDrive;
  Drive drive;

  double static_friction = 0.0;      ///< [N·m|N]
  double brake_damping = 0.0;        ///< set by a Brake [N·m·s/rad|N·s/m]
  bool brake_changed = false;        ///< the physics has to read brake_damping
  bool dynamic = false;              ///< an ODE joint moves it; otherwise it is moved kinematically
  bool has_feedback = false;         ///< both sides have Physics: Webots can measure its effort
  bool wake = false;                 ///< a command arrived: wake the bodies
  bool moved_between_steps = false;  ///< it or its carrier, since the last step: no efforts
  /// Motor, friction and stop on the endpoint in the last step; see PhysicsWorld::measure().
  double constraint_effort = 0.0;
  /// The same, exact in fast motion too, plus drive.force, spring and damper.
  double effort = 0.0;

  Backlash backlash;  ///< of width 0 for nearly every joint
  /// The position that motor and position sensor read; the choice is for the life of the joint.
  const double& shaft_position() const { return backlash.width > 0.0 ? backlash.shaft : position; }
};

/// The state of a Propeller while the world runs. Its motor turns `shaft` as it turns any joint
/// that has no Physics; the physics reads the shaft's velocity and writes the rest.
struct PropellerState {
  JointState shaft;
  double thrust = 0.0;  ///< along the axis in the last step [N]
  double torque = 0.0;  ///< that turned the blades in the last step, about the axis [N·m]
};

/// A point at which two Solids of a scene touch.
struct SolidContact {
  Vec3 point;   ///< in the world [m]
  Vec3 normal;  ///< in the world; out of `other`, into `solid`
  int solid = -1;
  int other = -1;
  double depth = 0.0;  ///< by which the two overlap [m]
};

/// What a contact put on a Solid in the last step.
struct ContactForce {
  Vec3 point;  ///< in the world [m]
  Vec3 force;  ///< on `solid`, in the world's axes [N]; NaN where it was not solved
  int solid = -1;
  int other = -1;
};

/// The first hit of a ray.
struct RayHit {
  double distance = 0.0;  ///< from its start [m]
  Vec3 normal;            ///< of the surface there, length one; either way
  int solid = -1;         ///< whose surface that is
};

/// The first hit of an infra-red ray.
struct SeenPoint {
  double distance = 0.0;    ///< from its start [m]
  double reflection = 1.0;  ///< of the Shape at that point, in [0.2, 1]
};

}  // namespace servosim
