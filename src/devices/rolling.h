// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "scene/scene.h"
#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;

/// The motion of a robot on two wheels without slip, in the frame of its axle: x is forward, y to
/// the left and z up, the origin in the middle. It is an arc of a circle.
/// @param left,right  how far the wheels turn, positive forward [rad]
/// @param wheel_radius,axle_length  [m], > 0
Pose rolled(double left, double right, double wheel_radius, double axle_length);

/// Moves a Solid without a body by `motion` in its own frame. It does not get deeper into what has
/// no Physics either, but may leave an obstacle that it is in already. @returns false, and nothing
/// happens, if such an obstacle is in the way
bool move_unless_blocked(PhysicsWorld& physics, int solid, const Pose& motion);

/// Robots without Physics that roll as far as their wheels turn, which motors move: see
/// Scene::rolling.
class Rolling {
 public:
  /// Both must outlive it; to be made before the motors move the wheels.
  Rolling(const Scene& scene, PhysicsWorld& physics);
  /// Moves the robots by what the wheels have turned since.
  void roll();

 private:
  std::array<double, 2> positions_of(const RollingSpec& robot) const;

  const std::vector<RollingSpec>& robots_;
  PhysicsWorld& physics_;
  std::vector<std::array<double, 2>> before_;  // positions of the wheels [rad]
};

}  // namespace servosim
