// SPDX-License-Identifier: Apache-2.0
#include "devices/rolling.h"

#include <cmath>

#include "base/limits.h"
#include "physics/physics_world.h"

namespace servosim {

Pose rolled(double left, double right, double wheel_radius, double axle_length) {
  const double way = 0.5 * wheel_radius * (left + right);
  const double angle = wheel_radius * (right - left) / axle_length;
  const double half = 0.5 * angle;
  // The chord of the arc has the length way·sin(half)/half, and its direction is `half` off
  // forward.
  const double chord = std::abs(half) < 1e-9 ? way : way * std::sin(half) / half;
  return {rotation_matrix({{0.0, 0.0, 1.0}, angle}),
          {chord * std::cos(half), chord * std::sin(half), 0.0}};
}

bool move_unless_blocked(PhysicsWorld& physics, int solid, const Pose& motion) {
  const Pose before = physics.kinematic_motion().pose(solid);
  const Pose after = before * motion;
  physics.kinematic_motion().set_pose(solid, after);
  if (!(norm(after.translation) < kMaxCoordinate)) {
    return true;  // the next step reports that the robot has left the range of coordinates
  }
  const double depth = physics.contacts().side_penetration(solid);
  if (depth == 0.0) {
    return true;
  }
  physics.kinematic_motion().set_pose(solid, before);
  if (physics.contacts().side_penetration(solid) < depth) {
    return false;
  }
  physics.kinematic_motion().set_pose(solid, after);
  return true;
}

Rolling::Rolling(const Scene& scene, PhysicsWorld& physics)
    : robots_(scene.rolling), physics_(physics) {
  before_.reserve(robots_.size());
  for (const RollingSpec& robot : robots_) {
    before_.push_back(positions_of(robot));
  }
}

std::array<double, 2> Rolling::positions_of(const RollingSpec& robot) const {
  return {physics_.joints()[robot.joints[0]].position, physics_.joints()[robot.joints[1]].position};
}

void Rolling::roll() {
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    const RollingSpec& robot = robots_[i];
    const std::array<double, 2> now = positions_of(robot);
    const double left = robot.sense[0] * (now[0] - before_[i][0]);
    const double right = robot.sense[1] * (now[1] - before_[i][1]);
    if (left != 0.0 || right != 0.0) {
      const Pose motion = rolled(left, right, robot.wheel_radius, robot.axle_length);
      move_unless_blocked(physics_, robot.solid, robot.axle * motion * inverse(robot.axle));
    }
  }
}

}  // namespace servosim
