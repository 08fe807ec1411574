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

// A state beyond this [m, m/s, rad/s] is a simulation that has exploded. ODE aborts far later.
constexpr double kFarthest = 1e9;

double square(const dReal* v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

// False also for NaN.
bool is_sane(const Body& body) {
  return square(body.position) + square(body.velocity) + square(body.spin) < kFarthest * kFarthest;
}

}  // namespace

PhysicsWorld::PhysicsWorld(const Scene& scene, Diagnostics& diagnostics)
    : joints_(scene.joints.size()) {
  use_ode();
  impl_ = std::make_unique<Impl>(scene, diagnostics, joints_);
}

PhysicsWorld::~PhysicsWorld() = default;

void PhysicsWorld::step() {
  const OdeErrorsThrow guard;
  try {
    impl_->step();
  } catch (const OdeStopped&) {
    impl_->step_left = true;
    impl_->check_sane();
    impl_->fail(impl_->bodies.front().solid);
  }
}

void PhysicsWorld::Impl::step() {
  if (unstable >= 0) {
    fail(unstable);
  }
  if (poses_changed) {
    check_sane();
    find_contacts();
  }
  for (LooseJoint& loose : loose_joints) {
    loose.backlash.before_step(scene.world.cfm, loose.creep, h);
  }
  for (OdeJoint& joint : joints) {
    joint.before_step();
  }
  dWorldStep(world, h);
  check_sane();
  for (OdeJoint& joint : joints) {
    joint.after_step();
  }
  for (LooseJoint& loose : loose_joints) {
    loose.backlash.after_step();
  }
  find_contacts();
}

void PhysicsWorld::Impl::fail(int solid) {
  unstable = solid;
  throw Unstable(solid);
}

void PhysicsWorld::Impl::check_sane() {
  for (const Body& body : bodies) {
    if (!is_sane(body)) {
      fail(body.solid);
    }
  }
  for (const int joint : kinematic_joints) {
    if (!(std::abs(states[joint].position) < kFarthest)) {
      fail(scene.joints[joint].child);
    }
  }
}

void PhysicsWorld::measure(int joint) { impl_->measure(joint); }

void PhysicsWorld::Impl::measure(int joint) {
  const int index = ode_joint_of[joint];
  if (index >= 0) {
    joints[index].measure();
  }
  if (states[joint].backlash.width == 0.0) {
    return;
  }
  for (const LooseJoint& loose : loose_joints) {
    if (loose.joint == joint) {
      loose.backlash.measure();
    }
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
    hash.add(joint.brake_damping);
    hash.add(joint.backlash.shaft);
  }
}

}  // namespace servosim
