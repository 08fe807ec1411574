// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/backlash.h"

#include <algorithm>
#include <cmath>

#include "physics/joints/rows.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

dJointID create_rows(dWorldID world, bool hinge, dBodyID parent, dBodyID child, const Vec3& axis) {
  const dJointID rows = hinge ? create_angular_rows(world, parent, child, 2)
                              : made(dJointCreateLMotor(world, nullptr), "the rows of a joint");
  if (!hinge) {
    dJointAttach(rows, parent, child);
    dJointSetLMotorNumAxes(rows, 2);
  }
  for (int i = 0; i < 2; ++i) {
    // Relative to the first body that is not null.
    hinge ? dJointSetAMotorAxis(rows, i, 1, axis.x, axis.y, axis.z)
          : dJointSetLMotorAxis(rows, i, 1, axis.x, axis.y, axis.z);
  }
  return rows;
}

}  // namespace

OdeBacklash::OdeBacklash(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
                         const Vec3& axis, JointState& state)
    : state_(&state),
      child_(child),
      hinge_(spec.type == JointType::Rotational),
      reversed_(parent == nullptr),
      rows_(create_rows(world, hinge_, parent, child, axis)),
      feedback_(std::make_unique<dJointFeedback>()) {
  *feedback_ = {};
  dJointSetFeedback(rows_, feedback_.get());
  state.backlash = {spec.backlash, spec.position};
}

void OdeBacklash::before_step(double softness, double wake_threshold, double h) {
  const JointDrive wanted = state_->drive;
  const FlankRows flanks =
      take_up(state_->backlash, wanted, state_->position, state_->static_friction, softness, h);
  state_->drive = {0.0, state_->static_friction, wanted.force, 0.0};
  // ODE's velocity of a row is that of its first body.
  const double sign = reversed_ ? 1.0 : -1.0;
  const double low = sign * bounded_velocity(flanks.low);
  const double high = sign * bounded_velocity(flanks.high);
  const double force = bounded_max_force(flanks.max_force);
  const auto set = hinge_ ? dJointSetAMotorParam : dJointSetLMotorParam;
  set(rows_, dParamVel1, low);
  set(rows_, dParamVel2, high);
  set(rows_, dParamFMax1, force);
  set(rows_, dParamFMax2, force);
  if (wanted.force == 0.0 && !dBodyIsEnabled(child_) &&
      flank_speed(state_->backlash, state_->position, h) > wake_threshold) {
    state_->wake = true;
  }
}

// On the child along +axis. The rows put nothing else on it.
double OdeBacklash::effort() const {
  dVector3 axis;
  hinge_ ? dJointGetAMotorAxis(rows_, 0, axis) : dJointGetLMotorAxis(rows_, 0, axis);
  const dJointFeedback& f = *feedback_;
  const Vec3 on_child = to_vec3(hinge_ ? (reversed_ ? f.t1 : f.t2) : (reversed_ ? f.f1 : f.f2));
  return std::copysign(norm(on_child), dot(to_vec3(axis), on_child));
}

void OdeBacklash::measure() const {
  const double flanks = effort();
  state_->constraint_effort += flanks;
  state_->effort += flanks;
}

}  // namespace servosim
