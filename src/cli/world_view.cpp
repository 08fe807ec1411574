// SPDX-License-Identifier: Apache-2.0
#include "cli/world_view.h"

#include <algorithm>

namespace servosim {

WorldView::WorldView(const Simulation& simulation)
    : scene_(simulation.scene()),
      bodies_(simulation.bodies()),
      body_of_(scene_.solids.size(), -1),
      mobility_(scene_.solids.size(), Mobility::Static),
      below_(scene_.solids.size() + 1),
      world_pose_(scene_.solids.size()) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    for (const RigidBody::Part& part : bodies_[b].parts) {
      body_of_[part.solid] = static_cast<int>(b);
    }
  }
  for (std::size_t s = 0; s < scene_.solids.size(); ++s) {
    const SolidSpec& solid = scene_.solids[s];
    const bool carried = solid.parent >= 0 && mobility_[solid.parent] != Mobility::Static;
    const bool drifts = solid.linear_velocity != Vec3{} || solid.angular_velocity != Vec3{};
    mobility_[s] = body_of_[s] >= 0                        ? Mobility::Dynamic
                   : solid.joint >= 0 || carried || drifts ? Mobility::Kinematic
                                                           : Mobility::Static;
    world_pose_[s] = solid.parent >= 0 ? world_pose_[solid.parent] * solid.pose : solid.pose;
    if (solid.joint < 0) {
      below_[static_cast<std::size_t>(solid.parent + 1)].solids.push_back(static_cast<int>(s));
    }
  }
  for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
    const JointSpec& joint = scene_.joints[j];
    if (joint.axis_number == 0) {
      below_[static_cast<std::size_t>(joint.parent + 1)].joints.push_back(static_cast<int>(j));
    }
  }
}

std::vector<int> WorldView::bodies_of(int robot) const {
  std::vector<int> indices;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (scene_.solids[bodies_[b].owner()].robot == robot) {
      indices.push_back(static_cast<int>(b));
    }
  }
  return indices;
}

MassProperties WorldView::total_mass(int robot) const {
  const Pose frame = robot >= 0 ? inverse(world_pose_[scene_.robots[robot].solid]) : Pose{};
  MassProperties total;
  for (const int b : bodies_of(robot)) {
    total = total + placed(bodies_[b].mass, frame * world_pose_[bodies_[b].owner()]);
  }
  return total;
}

}  // namespace servosim
