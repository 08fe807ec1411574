// SPDX-License-Identifier: Apache-2.0
#include "sim/joint_load.h"

#include "physics/mass.h"
#include "scene/scene.h"

namespace servosim {
namespace {

bool is_at_or_below(const Scene& scene, int solid, int ancestor) {
  while (solid >= 0 && solid != ancestor) {
    solid = scene.solids[static_cast<std::size_t>(solid)].parent;
  }
  return solid >= 0;
}

}  // namespace

std::optional<double> holding_effort(const SimulationCore& core, int joint, double position) {
  const Scene& scene = core.scene();
  const JointSpec& spec = scene.joints[static_cast<std::size_t>(joint)];
  if (spec.reference || spec.child < 0 || axes_of(scene, joint).size() != 1 ||
      !is_dynamic(scene, spec.child)) {
    return std::nullopt;
  }
  const PhysicsWorld& physics = core.physics();
  const Pose parent = spec.parent >= 0 ? physics.solid_pose(spec.parent) : Pose{};
  const Vec3 axis = parent.rotation * spec.axis;
  const Vec3 anchor = parent * spec.anchor;
  const Mat3 turn = rotation_matrix({axis, position - physics.joints()[joint].position});
  double effort = spec.spring_constant * position;
  for (const RigidBody& body : core.bodies()) {
    if (!is_at_or_below(scene, body.owner(), spec.child)) {
      continue;
    }
    const Vec3 weight = body.mass.mass * scene.world.gravity;
    const Vec3 center = physics.solid_pose(body.owner()) * body.mass.center;
    effort -= spec.type == JointType::Linear ? dot(axis, weight)
                                             : dot(axis, cross(turn * (center - anchor), weight));
  }
  return effort;
}

}  // namespace servosim
