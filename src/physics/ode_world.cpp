// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "core/hash.h"
#include "physics/mass.h"
#include "physics/ode_contacts.h"
#include "physics/ode_geometry.h"
#include "physics/ode_joint.h"
#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// A state beyond these is a simulation that has exploded. ODE itself aborts far later.
constexpr double kFarthest = 1e9;  // [m]
constexpr double kFastest = 1e9;   // [m/s], [rad/s]

bool is_sane(const dReal* v, double bound) {
  return std::abs(v[0]) < bound && std::abs(v[1]) < bound && std::abs(v[2]) < bound;
}

}  // namespace

PhysicsWorld::PhysicsWorld(const Scene& scene, Diagnostics& diagnostics)
    : joints_(scene.joints.size()) {
  use_ode();
  impl_ = std::make_unique<Impl>(scene, diagnostics, joints_);
}

PhysicsWorld::~PhysicsWorld() = default;

void PhysicsWorld::step() {
  Impl& w = *impl_;
  if (w.poses_changed) {
    w.find_contacts();
  }
  for (OdeJoint& joint : w.joints) {
    joint.before_step();
  }
  w.wake_commanded(joints_);
  dWorldStep(w.world, w.h);
  for (const Body& body : w.bodies) {
    if (!is_sane(dBodyGetPosition(body.id), kFarthest) ||
        !is_sane(dBodyGetLinearVel(body.id), kFastest) ||
        !is_sane(dBodyGetAngularVel(body.id), kFastest)) {
      throw Unstable(body.solid);
    }
  }
  for (OdeJoint& joint : w.joints) {
    joint.after_step();
  }
  w.find_contacts();
}

void PhysicsWorld::read_effort(int joint) {
  const int index = impl_->ode_joint_of[joint];
  if (index >= 0) {
    impl_->joints[index].read_effort();
  }
}

Pose PhysicsWorld::solid_pose(int solid) const { return impl_->solid_pose(solid); }

void PhysicsWorld::set_joint_state(int joint, double position, double velocity) {
  impl_->set_joint_state(joint, position, velocity);
}

void PhysicsWorld::pin(int solid, bool pinned) { impl_->pin(solid, pinned); }

void PhysicsWorld::add_state(Fnv1a& hash) const {
  for (const Body& body : impl_->bodies) {
    const auto add = [&hash](const dReal* values, int count) {
      for (int i = 0; i < count; ++i) {
        hash.add(values[i]);
      }
    };
    add(dBodyGetPosition(body.id), 3);
    add(dBodyGetQuaternion(body.id), 4);
    add(dBodyGetLinearVel(body.id), 3);
    add(dBodyGetAngularVel(body.id), 3);
  }
  for (const JointState& joint : joints_) {
    hash.add(joint.position);
    hash.add(joint.velocity);
  }
}

}  // namespace servosim
