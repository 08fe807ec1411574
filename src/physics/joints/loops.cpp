// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

// Watches the joints that close a loop: a loop that cannot stay closed is torn open, quietly.

namespace servosim {

namespace {

constexpr double kTorn = 0.01;          // [m]; a fast linkage at a coarse step gives way by less
constexpr int kStepsPerLoopCheck = 32;  // a tear lasts; looking at every step would cost too much

}  // namespace

// From where the joint wants the anchor on the child to where it is, in the parent Solid's frame.
Vec3 PhysicsWorld::Impl::anchor_gap(int joint) const {
  const JointSpec& spec = scene.joints[joint];
  const Pose parent = spec.parent >= 0 ? solid_pose(spec.parent) : Pose{};
  const Pose child = spec.child >= 0 ? solid_pose(spec.child) : Pose{};
  return inverse(parent) * (child * (inverse(spec.zero_pose) * spec.anchor)) -
         joint_motion(joint, axis_count(spec.kind)) * spec.anchor;
}

// The part of it that a suspension is meant to allow.
Vec3 PhysicsWorld::Impl::suspension_travel(int joint) const {
  const SuspensionSpec& suspension = scene.joints[scene.joints[joint].leader].suspension;
  return suspension.gives_way() ? dot(anchor_gap(joint), suspension.axis) * suspension.axis
                                : Vec3{};
}

double PhysicsWorld::Impl::loop_gap(int joint) const {
  return norm(anchor_gap(joint) - suspension_travel(joint));
}

int PhysicsWorld::Impl::find_torn_loop() {
  if (--steps_to_loop_check > 0) {
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

// Tracks: surfaces that run, driven by joints without an endpoint.

void PhysicsWorld::Impl::create_belts() {
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
    if (scene.joints[j].belt) {
      belts.push_back({j, scene.joints[j].parent, 0.0, {}});
      kinematic_joints.push_back(j);
    }
  }
}

// A belt that starts, stops or changes its speed wakes what lies on it, and what it carries.
void PhysicsWorld::Impl::wake_at_belts() {
  for (const Belt& belt : belts) {
    if (states[belt.joint].velocity == belt.speed) {
      continue;
    }
    if (const int own = carrying_body(belt.solid); own >= 0) {
      wake(bodies[own].id);
    }
    for (const Touch& touch : touches()) {
      const int other = touch.solid == belt.solid   ? touch.other
                        : touch.other == belt.solid ? touch.solid
                                                    : -1;
      if (const int body = carrying_body(other); body >= 0) {
        wake(bodies[body].id);
      }
    }
  }
}

// The contacts of the next step run as fast as the belts do now.
void PhysicsWorld::Impl::run_belts() {
  for (Belt& belt : belts) {
    belt.speed = states[belt.joint].velocity;
  }
}

}  // namespace servosim
