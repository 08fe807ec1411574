// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/math.h"

namespace servosim {

class SimulationCore;

/// The velocities of a Solid, in the world's axes.
///
/// Threads: a plain value.
struct SolidVelocity {
  /// The velocity of the centre of mass of its body [m/s].
  Vec3 linear;
  /// The angular velocity [rad/s].
  Vec3 angular;
};

/// A place where two Solids touch.
///
/// Threads: a plain value.
struct ContactPoint {
  /// The place in the world [m].
  Vec3 point;
  /// A vector of length one in the world's axes; it points out of `other`, into `solid`.
  Vec3 normal;
  /// The index of the requested Solid, or of one below it.
  int solid = -1;
  /// The index of the Solid that it touches; -1: what belongs to no Solid.
  int other = -1;
};

/// A Solid of a Simulation: any node with a pose of its own that may have a body, such as a Robot
/// or the endPoint of a joint. It is a handle, cheap to copy, that is valid as long as the
/// simulation and until a Supervisor changes the tree.
///
/// All functions throw std::invalid_argument for numbers that are not finite, and std::out_of_range
/// if the tree no longer has a Solid of this index; nothing has changed then.
///
/// Threads: one at a time, with the Simulation.
class Solid {
 public:
  /// Only Simulation uses it. @throws std::out_of_range
  Solid(SimulationCore& core, int index);

  /// The index in Simulation::solids().
  int index() const { return index_; }
  /// The name of the node, which need not be unique. The reference is valid until the tree changes.
  const std::string& name() const;

  /// The pose of its frame in the world.
  Pose pose() const;
  /// Puts it elsewhere, together with everything below it. Velocities stay, and bodies wake up.
  /// Joints to what does not move along pull it back. The endpoint of a joint without Physics has
  /// its new pose at the present position of the joint.
  /// @throws std::invalid_argument for a rigid part of the body of the Solid above, which only a
  ///   change of the tree can move; for a rotation that is not orthogonal to 1e-6; and beyond 1e9 m
  void set_pose(const Pose& in_world);
  /// Whether it has a body: one of its own, or that of the Solid above of which it is a rigid part.
  bool has_body() const;
  /// The velocity of its body at the centre of mass. Without a body, it is the velocity by which
  /// the Solid moves at each step.
  SolidVelocity velocity() const;
  /// Sets the velocity of its body, at the centre of mass of the body. A Solid without a body keeps
  /// the velocity, and moves by it at each step together with everything below it that has no body
  /// either. The endpoint of a joint does so in addition to the motion of the joint.
  void set_velocity(const SolidVelocity& velocity);
  /// Fixes its body to the world where it is, or releases it. Does nothing without a body.
  void pin(bool pinned);

  /// Pushes its body in the next step with a force [N] in the world's axes, at a point of the world
  /// [m]. Forces add up until that step. Does nothing without a body.
  void add_force(const Vec3& force, const Vec3& point);
  /// Does the same at the body's centre of mass. For a Solid that is a rigid part of the body of
  /// the one above it, the force acts at the centre of mass of this part.
  void add_force(const Vec3& force);
  /// Turns its body in the next step with a torque [N·m] in the world's axes, as add_force() does.
  void add_torque(const Vec3& torque);
  /// Stops it and everything below it: velocities and forces become 0, and motors start from rest.
  void reset_physics();

  /// The points where it touches others in the present pose, in a fixed order.
  /// @param include_descendants  whether those of all Solids below it are included
  std::vector<ContactPoint> contact_points(bool include_descendants) const;
  /// The centre of mass of the Solid and everything below it, in the world [m]; its origin if there
  /// is no mass.
  Vec3 center_of_mass() const;
  /// Whether the centre of mass is, along gravity, above the convex hull of the points where the
  /// Solid and those below it touch others. False without gravity.
  bool static_balance() const;

 private:
  SimulationCore* core_;  // not null
  int index_;             // in Scene::solids
};

}  // namespace servosim
