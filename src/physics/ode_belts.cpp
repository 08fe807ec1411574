// SPDX-License-Identifier: Apache-2.0
// Tracks: surfaces that run, driven by joints without an endpoint.
#include "physics/ode_world_impl.h"
#include "scene/scene.h"

namespace servosim {

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
