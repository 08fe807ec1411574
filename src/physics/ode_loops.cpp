// SPDX-License-Identifier: Apache-2.0
// Watches the joints that close a loop: a loop that cannot stay closed is torn open, quietly.
#include <algorithm>

#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kTorn = 0.01;          // [m]; a fast linkage at a coarse step gives way by less
constexpr int kStepsPerLoopCheck = 32;  // a tear lasts; looking at every step would cost too much

}  // namespace

// How far the anchor on the child is from where the joint wants it [m].
double PhysicsWorld::Impl::loop_gap(int joint) const {
  const JointSpec& spec = scene.joints[joint];
  const Pose parent = spec.parent >= 0 ? solid_pose(spec.parent) : Pose{};
  const Pose child = spec.child >= 0 ? solid_pose(spec.child) : Pose{};
  const Vec3 wanted = parent * (joint_motion(joint, axis_count(spec.kind)) * spec.anchor);
  return norm(child * (inverse(spec.zero_pose) * spec.anchor) - wanted);
}

int PhysicsWorld::Impl::find_torn_loop() {
  if (steps_to_loop_check-- > 0) {
    return -1;
  }
  steps_to_loop_check = kStepsPerLoopCheck;
  const auto torn =
      std::find_if(loops.begin(), loops.end(), [this](int j) { return loop_gap(j) > kTorn; });
  if (torn == loops.end()) {
    return -1;
  }
  const int joint = *torn;
  loops.erase(torn);
  return joint;
}

}  // namespace servosim
