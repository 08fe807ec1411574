// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "scene/scene.h"
#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;

/// Returns the motion of a robot on two wheels without slip, which is an arc of a circle: the pose
/// of its axle afterwards in the frame of its axle before. There x is forward, y to the left and z
/// up, and the origin is in the middle between the wheels.
/// @param left,right  how far the wheels turn [rad]; positive rolls forwards
/// @param wheel_radius,axle_length  [m], > 0
Pose rolled(double left, double right, double wheel_radius, double axle_length);

/// Moves a Solid without a body by `motion` in its own frame. The Solid does not get deeper into
/// something that has no Physics either, but may leave an obstacle that it is in already.
/// @returns false if such an obstacle is in the way; then nothing happens
bool move_unless_blocked(PhysicsWorld& physics, int solid, const Pose& motion);

/// Moves robots without Physics as far as their wheels roll. Motors turn these wheels: see
/// Scene::rolling. An object of this class is made for one step.
class Rolling {
 public:
  /// Notes the positions of the wheels, before the motors move them. Both arguments must outlive
  /// this object.
  Rolling(const Scene& scene, PhysicsWorld& physics);
  /// Moves the robots by what the wheels have turned since the constructor. An obstacle stops a
  /// robot: see move_unless_blocked().
  void roll();

 private:
  std::array<double, 2> positions_of(const RollingSpec& robot) const;

  const std::vector<RollingSpec>& robots_;
  PhysicsWorld& physics_;
  std::vector<std::array<double, 2>> before_;  // positions of the wheels [rad]
};

}  // namespace servosim
