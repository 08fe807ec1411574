// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motor_laws/backlash.h"
#include "servosim/math.h"

namespace servosim {

/// Holds the state of a joint while the world runs. Physics and devices share it: physics reads
/// `drive` and writes the other members, devices do the reverse. All signs are those of the
/// endpoint along +axis: a positive position, velocity or effort moves the endpoint in the
/// direction of the axis (docs/explanation/conventions.md).
///
/// Threads: one at a time; it belongs to its world.
struct JointState {
  double position = 0.0;  ///< [rad|m]; counts turns, and is read once per step
  double velocity = 0.0;  ///< measured [rad/s|m/s]; see Joints::measure()

  /// This is the motor's command for the next step.
  using Drive = JointDrive;
  Drive drive;

  double static_friction = 0.0;  ///< largest effort of dry friction [N·m|N]
  double brake_damping = 0.0;    ///< damping that a Brake sets [N·m·s/rad|N·s/m]
  bool brake_changed = false;    ///< whether physics must read brake_damping again
  bool dynamic = false;       ///< whether an ODE joint moves it; otherwise it moves kinematically
  bool has_feedback = false;  ///< both sides have Physics, so Webots can measure its effort
  bool wake = false;          ///< whether a command has arrived, for which the bodies must wake
  /// Tells whether the joint or its carrier was moved since the last step. It then has no efforts.
  bool moved_between_steps = false;
  /// This is the sum of motor, friction and stops on the endpoint in the last step [N·m|N]; see
  /// Joints::measure().
  double constraint_effort = 0.0;
  /// This is the sum of motor, friction, stops, drive.force, spring and damper on the endpoint in
  /// the last step [N·m|N]. It is exact in fast motion, too.
  double effort = 0.0;

  Backlash backlash;  ///< its width is 0 for nearly every joint
  /// Returns the position that motor and position sensor read. Which member this is does not change
  /// as long as the joint exists, so the reference can be kept.
  const double& shaft_position() const { return backlash.width > 0.0 ? backlash.shaft : position; }
};

/// Holds the state of a Propeller while the world runs. Its motor turns `shaft` like any joint
/// without Physics. Physics reads the shaft's velocity and writes the other members.
struct PropellerState {
  JointState shaft;
  double thrust = 0.0;  ///< force along +axis in the last step [N]
  double torque = 0.0;  ///< torque that turned the blades about +axis in the last step [N·m]
};

/// Describes a point at which two Solids of a scene touch.
struct SolidContact {
  Vec3 point;   ///< in the world [m]
  Vec3 normal;  ///< unit vector in the world; points out of `other` and into `solid`
  int solid = -1;
  int other = -1;
  double depth = 0.0;  ///< distance by which the two overlap [m]
};

/// Describes the force of a contact on a Solid in the last step.
struct ContactForce {
  Vec3 point;  ///< in the world [m]
  Vec3 force;  ///< on `solid`, in the world's axes [N]; NaN if the contact was not solved
  int solid = -1;
  int other = -1;
};

/// Describes the first hit of a ray.
struct RayHit {
  double distance = 0.0;  ///< distance from the start of the ray [m]
  Vec3 normal;            ///< unit normal of the surface; its sign is not determined
  int solid = -1;         ///< the Solid that was hit
};

/// Describes the first Shape on a ray, in the frame of its VisibleShape::shape.
struct SeenPoint {
  double distance = 0.0;  ///< from the ray's start [m]
  std::size_t shape = 0;  ///< in Scene::visible_shapes
  Vec3 point;
  Vec3 normal;        ///< of length one, on the side from which the ray comes
  int triangle = -1;  ///< of the mesh; -1 for other shapes
};

}  // namespace servosim
