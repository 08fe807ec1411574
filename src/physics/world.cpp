// SPDX-License-Identifier: Apache-2.0
#include "physics/world.h"

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

double square(const dReal* v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

}  // namespace

PhysicsWorld::PhysicsWorld(const Scene& scene, Diagnostics& diagnostics,
                           const PhysicsOptions& options)
    : scene_(scene),
      options_(options),
      joints_(scene.joints.size()),
      propellers_(scene.propellers.size()),
      measured_at_(scene.joints.size(), 0) {
  use_ode();
  impl_ = std::make_unique<Impl>(scene, diagnostics, joints_, propellers_, options);
}

PhysicsWorld::~PhysicsWorld() = default;

int PhysicsWorld::step() {
  ++moment_;
  const OdeErrorsThrow guard;
  if (impl_->step_left && impl_->unstable < 0 && impl_->overload.empty()) {
    throw OdeFailed("a step after one that failed");
  }
  try {
    return impl_->step();
  } catch (const OdeStopped&) {
    impl_->step_left = true;
    impl_->check_sane();
    impl_->fail(impl_->bodies.front().solid);
  } catch (const Unstable&) {
    throw;
  } catch (...) {  // no memory
    impl_->step_left = true;
    throw;
  }
}

int PhysicsWorld::Impl::step() {
  if (!overload.empty()) {
    throw Overloaded(overload);
  }
  if (unstable >= 0) {
    fail(unstable);
  }
  if (!belts.empty()) {
    wake_at_belts();
  }
  if (poses_changed) {
    for (JointState& state : states) {
      state.moved_by_hand = false;
    }
    check_sane();
    find_contacts();
  }
  if (!drifters.empty()) {
    drift();
  }
  for (BacklashJoint& loose : loose_joints) {
    loose.backlash.before_step(scene.world.cfm, loose.creep, h);
  }
  for_each_joint(*this, [](auto& joint) { joint.before_step(); });
  for (OdePropeller& propeller : propellers) {
    propeller.before_step();
  }
  if (sleep.time > 0.0) {
    fall_asleep();
  }
  add_gyroscopic_torques();
  solve();
  if (!fell_asleep.empty()) {
    drop_forces_of_sleepers();
  }
  const bool fast = 2.0 * check_sane() * (h * h) > kFastTurn * kFastTurn;
  for_each_joint(*this, [fast](auto& joint) { joint.after_step(fast); });
  for (BacklashJoint& loose : loose_joints) {
    loose.backlash.after_step();
  }
  if (!belts.empty()) {
    run_belts();
  }
  if (can_collide) {
    find_contacts();
  }
  if (!touched.empty()) {
    touched = contacts->touched();
    contacts->add_bumps(touched);
  }
  return loops.empty() ? -1 : find_torn_loop();
}

void PhysicsWorld::Impl::fall_asleep() {
  for (const Body& body : bodies) {
    if (let_rest(body.id, sleep, h)) {
      fell_asleep.push_back(body.id);
    }
  }
}

// What joints added to a body in the step in which it fell asleep must not wait for it to wake.
void PhysicsWorld::Impl::drop_forces_of_sleepers() {
  for (const dBodyID body : fell_asleep) {
    if (dBodyIsEnabled(body) == 0) {
      dBodySetForce(body, 0.0, 0.0, 0.0);
      dBodySetTorque(body, 0.0, 0.0, 0.0);
    }
  }
  fell_asleep.clear();
}

void PhysicsWorld::Impl::fail(int solid) {
  unstable = solid;
  throw Unstable(solid);
}

double PhysicsWorld::Impl::check_sane() {
  double fastest = 0.0;
  if (const int solid = out_of_range(fastest); solid >= 0) {
    fail(solid);
  }
  return fastest;
}

int PhysicsWorld::Impl::out_of_range(double& fastest_squared) const {
  for (const Body& body : bodies) {
    const double spin = square(body.spin);
    if (!(square(body.position) + square(body.velocity) + spin < kMaxCoordinate * kMaxCoordinate)) {
      return body.solid;  // NaN, too
    }
    fastest_squared = std::max(fastest_squared, spin);
  }
  for (const int joint : kinematic_joints) {
    if (!(std::abs(states[joint].position) < kMaxCoordinate)) {
      const JointSpec& spec = scene.joints[joint];
      return spec.belt ? spec.parent : spec.child;
    }
  }
  for (const int solid : rollers) {
    if (!(norm(local_poses[solid].translation) < kMaxCoordinate)) {
      return solid;
    }
  }
  for (const KinematicSolid& drifter : drifters) {
    if (!is_sane(drifter, kMaxCoordinate)) {
      return drifter.solid;
    }
  }
  return -1;
}

int PhysicsWorld::out_of_range() const {
  double ignored = 0.0;
  return impl_->out_of_range(ignored);
}

void PhysicsWorld::measure(int joint) {
  if (measured_at_[joint] != moment_ || joints_[joint].brake_changed) {
    impl_->measure(joint);
    measured_at_[joint] = moment_;
  }
}

const std::vector<RigidBody>& PhysicsWorld::bodies() const { return impl_->rigid_bodies; }

double PhysicsWorld::loop_gap(int joint) const { return impl_->loop_gap(joint); }

Pose PhysicsWorld::solid_pose(int solid) const { return impl_->solid_pose(solid); }

std::optional<PointMotion> PhysicsWorld::solid_motion(int solid) const {
  const int carrier = impl_->carrying_body(solid);
  if (carrier < 0) {
    return impl_->drift_above(solid);
  }
  return impl_->motion_at(carrier, impl_->solid_pose(solid).translation);
}

void PhysicsWorld::set_joint_state(int joint, double position, double velocity) {
  ++moment_;
  impl_->set_joint_state(joint, position, velocity);
}

void PhysicsWorld::save(StateWriter& out) const { impl_->save(out); }

void PhysicsWorld::restore(StateReader& in) {
  ++moment_;
  std::vector<MovedSolid> moved(in.take<std::size_t>());
  in.get_array(moved.data(), moved.size());
  if (impl_->step_left || moved != impl_->moved_solids) {
    build_anew(std::move(moved));
  }
  impl_->restore(in);
}

void PhysicsWorld::build_anew(std::vector<MovedSolid> moved) {
  Diagnostics ignored;  // was said when the world was built first
  auto anew =
      std::make_unique<Impl>(scene_, ignored, joints_, propellers_, options_, std::move(moved));
  anew->keep_said(*impl_);
  impl_ = std::move(anew);
}

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
  for (const int solid : impl_->rollers) {
    const Pose& base = impl_->local_poses[solid];
    for (const double number : {base.translation.x, base.translation.y, base.translation.z}) {
      hash.add(number);
    }
    for (const double number : base.rotation.m) {
      hash.add(number);
    }
  }
  impl_->add_drifters(hash);
  for (const PropellerState& propeller : propellers_) {
    hash.add(propeller.shaft.position);
  }
}

}  // namespace servosim
