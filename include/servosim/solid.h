// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/math.h"

namespace servosim {

struct SimulationCore;

/// The velocities of a Solid, in the world's axes.
/// Threads: a plain value.
struct SolidVelocity {
  Vec3 linear;   ///< of its body's centre of mass [m/s]
  Vec3 angular;  ///< [rad/s]
};

/// A place where two Solids touch.
/// Threads: a plain value.
struct ContactPoint {
  Vec3 point;      ///< in the world [m]
  Vec3 normal;     ///< in the world, length one; out of `other`, into `solid`
  int solid = -1;  ///< the requested one, or one below it
  int other = -1;  ///< what it touches
};

/// A Solid of a Simulation: any node with a pose of its own that may have a body, such as a Robot
/// or the endPoint of a joint. A handle, cheap to copy, that is valid as long as the simulation and
/// until a Supervisor changes the tree.
///
/// All functions throw std::invalid_argument for numbers that are not finite.
///
/// Threads: one at a time, with the Simulation.
class Solid {
 public:
  /// Used by Simulation. @throws std::out_of_range
  Solid(SimulationCore& core, int index);

  int index() const { return index_; }
  /// Not unique; valid as long as Joint::name().
  const std::string& name() const;

  Pose pose() const;  ///< in the world
  /// Puts it elsewhere, and all below it along with it; velocities stay, and bodies wake up. Joints
  /// to what does not move along pull it back. The endpoint of a joint without Physics has its new
  /// place at the present position of the joint.
  /// @throws std::invalid_argument for a rigid part of the body of the Solid above: change the tree
  void set_pose(const Pose& in_world);
  /// Whether it has a body: its own, or that of the Solid above, which it is a rigid part of.
  bool has_body() const;
  /// Of its body at the centre of mass; without one, that by which it moves at each step.
  SolidVelocity velocity() const;
  /// Of its body, at the centre of mass of that. A Solid without one keeps it, and moves by it at
  /// each step with all that is below it and has no body either; the endpoint of a joint besides
  /// what the joint does.
  void set_velocity(const SolidVelocity& velocity);
  /// Fixes its body to the world where it is, or releases it; does nothing without a body.
  void pin(bool pinned);

  /// Pushes its body in the next step [N], in the world's axes, at a point of the world; adds to
  /// earlier forces. Does nothing without a body.
  void add_force(const Vec3& force, const Vec3& point);
  /// The same at the body's centre of mass or, for a Solid that is a rigid part of the body of the
  /// one above, at its own.
  void add_force(const Vec3& force);
  /// Likewise [N·m].
  void add_torque(const Vec3& torque);
  /// Stops it and all below it: velocities and forces are 0, and motors start from rest.
  void reset_physics();

  /// Where it touches others in the present pose, perhaps with all below it; in a fixed order.
  std::vector<ContactPoint> contact_points(bool include_descendants) const;
  /// Of the Solid and all below it, in the world [m]; its origin if there is no mass.
  Vec3 center_of_mass() const;
  /// Whether that stands, along gravity, above the convex hull of the points where they touch
  /// others. False without gravity.
  bool static_balance() const;

 private:
  SimulationCore* core_;  // not null
  int index_;             // in Scene::solids
};

}  // namespace servosim
