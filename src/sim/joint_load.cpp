// SPDX-License-Identifier: Apache-2.0
#include "sim/joint_load.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "physics/mass.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "sim/joint_space.h"

namespace servosim {

JointLoads::JointLoads(const Simulation& simulation)
    : inspector_(simulation), branches_(inspector_.scene().solids.size()) {
  const std::vector<MassProperties> masses = branch_masses(inspector_);
  for (std::size_t s = 0; s < masses.size(); ++s) {
    branches_[s].mass = masses[s].mass;
    branches_[s].moment = masses[s].mass * masses[s].center;
  }
  mark_loops();
}

// Marks all joints between two Solids, or a Solid and the world (-1), which something else than the
// joints of the tree connects: they are a part of that loop.
void JointLoads::mark_loop(int solid, int other) {
  const std::vector<SolidSpec>& solids = inspector_.scene().solids;
  const auto above = [&solids](int s) { return solids[static_cast<std::size_t>(s)].parent; };
  std::set<int> others;
  for (int s = other; s >= 0; s = above(s)) {
    others.insert(s);
  }
  for (; solid >= 0 && !others.contains(solid); solid = above(solid)) {
    branches_[static_cast<std::size_t>(solid)].in_loop = true;
  }
  for (int s = other; s >= 0 && s != solid; s = above(s)) {
    branches_[static_cast<std::size_t>(s)].in_loop = true;
  }
}

void JointLoads::mark_loops() {
  for (const JointSpec& joint : inspector_.scene().joints) {
    if (joint.reference) {
      mark_loop(joint.child, joint.parent);
    }
  }
  for (const Attachments::FixedAttachment& fixed :
       inspector_.physics().attachments().attachments()) {
    const auto owner = [this](int body) {
      return body >= 0 ? inspector_.physics().bodies()[body].solid : -1;
    };
    mark_loop(owner(fixed.body), owner(fixed.other_body));
  }
}

std::optional<double> JointLoads::at(int joint, double position) const {
  const Scene& scene = inspector_.scene();
  const JointSpec& spec = scene.joints[static_cast<std::size_t>(joint)];
  if (spec.reference || spec.child < 0 || axes_of(scene, joint).size() != 1 ||
      !is_dynamic(scene, spec.child)) {
    return std::nullopt;
  }
  const Branch& branch = branches_[static_cast<std::size_t>(spec.child)];
  if (branch.in_loop) {
    return std::nullopt;
  }
  const PhysicsWorld& physics = inspector_.physics();
  const Pose parent = spec.parent >= 0 ? physics.solid_pose(spec.parent) : Pose{};
  const Vec3 axis = parent.rotation * spec.axis;
  const Vec3& gravity = scene.world.gravity;
  const double spring = spec.spring.constant * (position - spec.spring.reference);
  if (spec.type == JointType::Linear) {
    return spring - branch.mass * dot(axis, gravity);
  }
  const Mat3 turn = rotation_matrix({axis, position - physics.joints()[joint].position});
  const Vec3 arm = branch.moment - branch.mass * (parent * spec.anchor);
  return spring - dot(axis, cross(turn * arm, gravity));
}

std::optional<double> JointLoads::largest(int joint, double from, double to) const {
  constexpr int kParts = 64;
  std::optional<double> largest;
  for (int i = 0; i <= kParts; ++i) {
    const auto load = at(joint, from + (to - from) * i / kParts);
    if (!load) {
      return std::nullopt;
    }
    largest = std::max(largest.value_or(0.0), std::abs(*load));
  }
  return largest;
}

}  // namespace servosim
