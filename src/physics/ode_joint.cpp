// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/spring_damper.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// ODE squares what it is given; these bounds keep it far from overflow and change nothing sane.
constexpr double kFastest = 1e8;     // [rad/s|m/s]
constexpr double kStrongest = 1e18;  // [N·m|N]

// ODE reads a hinge within ±π only and throws one that gets past π on to the other stop. Stops
// nearer than this leave room for overshooting; farther ones get a row of their own [rad].
constexpr double kOwnStops = 2.0;

// A body that turns further per step has the joint's speed asked how many turns passed [rad].
constexpr double kFastTurn = 0.5;

// The angle ≡ `angle` (mod 2π) that lies within π of `reference`.
double wrap_near(double angle, double reference) {
  const double gap = angle - reference;
  if (std::abs(gap) <= std::numbers::pi) {
    return angle;
  }
  return angle - 2.0 * std::numbers::pi * std::round(gap / (2.0 * std::numbers::pi));
}

}  // namespace

OdeJoint::OdeJoint(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
                   const Vec3& axis, const Vec3& anchor, JointState& state, double h)
    : type_(spec.type),
      reversed_(parent == nullptr),
      world_(world),
      parent_(parent),
      child_(child),
      state_(&state),
      feedback_(std::make_unique<std::array<dJointFeedback, 2>>()),
      spin_(dBodyGetAngularVel(body())),
      other_spin_(parent != nullptr && child != nullptr ? dBodyGetAngularVel(parent) : nullptr),
      h_(h),
      offset_(state.position),
      spring_(std::min(spec.spring_constant, kStrongest)),
      damping_(spec.damping_constant) {
  create_joint(world, axis, anchor);
  dJointSetFeedback(joint_, &feedback_->at(0));
  set_stops(spec);
  update_soft_row();
}

void OdeJoint::create_joint(dWorldID world, const Vec3& axis, const Vec3& anchor) {
  if (is_hinge()) {
    joint_ = dJointCreateHinge(world, nullptr);
    dJointAttach(joint_, parent_, child_);
    const Vec3 a = reversed_ ? -axis : axis;
    dJointSetHingeAxis(joint_, a.x, a.y, a.z);
    dJointSetHingeAnchor(joint_, anchor.x, anchor.y, anchor.z);
  } else {
    joint_ = dJointCreateSlider(world, nullptr);
    dJointAttach(joint_, parent_, child_);
    dJointSetSliderAxis(joint_, -axis.x, -axis.y, -axis.z);
  }
}

void OdeJoint::set_stops(const JointSpec& spec) {
  if (spec.min_stop == spec.max_stop) {
    return;
  }
  const double low = std::min(spec.min_stop, spec.max_stop) - offset_;
  const double high = std::max(spec.min_stop, spec.max_stop) - offset_;
  if (is_hinge() && (low < -kOwnStops || high > kOwnStops)) {
    set_far_stops(low, high, spec);
    return;
  }
  low_stop_ = low + offset_;
  high_stop_ = high + offset_;
  if (!is_hinge()) {
    dJointSetSliderParam(joint_, dParamLoStop, low);
    dJointSetSliderParam(joint_, dParamHiStop, high);
    return;
  }
  dJointSetHingeParam(joint_, dParamLoStop, -high);
  dJointSetHingeParam(joint_, dParamHiStop, -low);
  if (spec.stop_erp >= 0.0) {
    dJointSetHingeParam(joint_, dParamStopERP, spec.stop_erp);
  }
  if (spec.stop_cfm > 0.0) {
    dJointSetHingeParam(joint_, dParamStopCFM, spec.stop_cfm);
  }
}

// A row of its own, which is told the angle with its turns.
void OdeJoint::set_far_stops(double low, double high, const JointSpec& spec) {
  far_stops_ = create_angular_row();
  dJointSetFeedback(far_stops_, &feedback_->at(1));
  dJointSetAMotorParam(far_stops_, dParamLoStop, -high);
  dJointSetAMotorParam(far_stops_, dParamHiStop, -low);
  if (spec.stop_erp >= 0.0) {
    dJointSetAMotorParam(far_stops_, dParamStopERP, spec.stop_erp);
  }
  if (spec.stop_cfm > 0.0) {
    dJointSetAMotorParam(far_stops_, dParamStopCFM, spec.stop_cfm);
  }
}

// An AMotor about the hinge's axis whose angle is told before each step.
dJointID OdeJoint::create_angular_row() {
  dVector3 axis;
  dJointGetHingeAxis(joint_, axis);
  const dJointID row = dJointCreateAMotor(world_, nullptr);
  dJointAttach(row, parent_, child_);
  dJointSetAMotorMode(row, dAMotorUser);
  dJointSetAMotorNumAxes(row, 1);
  // Relative to the first body that is not null.
  dJointSetAMotorAxis(row, 0, 1, axis[0], axis[1], axis[2]);
  return row;
}

void OdeJoint::create_soft_joint() {
  if (is_hinge()) {
    soft_ = create_angular_row();
    const double rest = wrap_near(offset_, 0.0);
    dJointSetAMotorParam(soft_, dParamLoStop, rest);
    dJointSetAMotorParam(soft_, dParamHiStop, rest);
    return;
  }
  dVector3 axis;
  dJointGetSliderAxis(joint_, axis);
  soft_ = dJointCreateLMotor(world_, nullptr);
  dJointAttach(soft_, parent_, child_);
  dJointSetLMotorNumAxes(soft_, 1);
  dJointSetLMotorAxis(soft_, 0, 1, axis[0], axis[1], axis[2]);
  dJointSetLMotorParam(soft_, dParamFMax, dInfinity);
}

void OdeJoint::destroy_soft_joint() {
  if (soft_ != nullptr) {
    dJointDestroy(soft_);
    soft_ = nullptr;
  }
}

void OdeJoint::update_soft_row() {
  const SoftRow row = soft_row(spring_, damping(), h_);
  if (!row.active) {
    destroy_soft_joint();
    return;
  }
  if (soft_ == nullptr) {
    create_soft_joint();
  }
  soft_gain_ = row.erp / h_;
  if (is_hinge()) {
    dJointSetAMotorParam(soft_, dParamStopERP, row.erp);
    dJointSetAMotorParam(soft_, dParamStopCFM, row.cfm);
  } else {
    dJointSetLMotorParam(soft_, dParamCFM, row.cfm);
  }
}

// Tells the soft row how far the joint is from the rest position p = 0.
void OdeJoint::pull_soft_row() {
  if (is_hinge()) {
    dJointSetAMotorAngle(soft_, 0, wrap_near(offset_ - state_->position, 0.0));
  } else {
    const double wanted = std::clamp(soft_gain_ * state_->position, -kFastest, kFastest);
    dJointSetLMotorParam(soft_, dParamVel, reversed_ ? wanted : -wanted);
  }
}

void OdeJoint::before_step() {
  if (state_->wake) {
    state_->wake = false;
    dBodyEnable(body());
  }
  if (state_->brake_changed) {
    state_->brake_changed = false;
    update_soft_row();
  }
  const JointState::Drive& drive = state_->drive;
  if (drive.velocity != sent_velocity_) {
    sent_velocity_ = drive.velocity;
    const double v = std::clamp(drive.velocity, -kFastest, kFastest);
    is_hinge() ? dJointSetHingeParam(joint_, dParamVel, -v)
               : dJointSetSliderParam(joint_, dParamVel, v);
  }
  if (drive.max_force != sent_max_force_) {
    sent_max_force_ = drive.max_force;
    const double f = std::clamp(drive.max_force, 0.0, kStrongest);
    is_hinge() ? dJointSetHingeParam(joint_, dParamFMax, f)
               : dJointSetSliderParam(joint_, dParamFMax, f);
  }
  if (drive.force != 0.0) {
    const double f = std::clamp(drive.force, -kStrongest, kStrongest);
    is_hinge() ? dJointAddHingeTorque(joint_, reversed_ ? f : -f) : dJointAddSliderForce(joint_, f);
  }
  if (soft_ != nullptr) {
    pull_soft_row();
  }
  if (far_stops_ != nullptr) {
    dJointSetAMotorAngle(far_stops_, 0, offset_ - state_->position);
  }
}

void OdeJoint::after_step() {
  if (!is_hinge()) {
    state_->position = dJointGetSliderPosition(joint_) + offset_;
    return;
  }
  const double angle = dJointGetHingeAngle(joint_);
  const double before = state_->position;
  double now = wrap_near((reversed_ ? angle : -angle) + offset_, before);
  if (spins_fast()) {
    now = wrap_near(now, before + rate() * h_);
  }
  state_->position = now;
}

bool OdeJoint::spins_fast() const {
  const Vec3 spin = to_vec3(spin_);
  const Vec3 other = other_spin_ != nullptr ? to_vec3(other_spin_) : Vec3{};
  const double limit = kFastTurn / h_;
  return dot(spin, spin) + dot(other, other) > limit * limit;
}

// Of the joint and its brake, whose constant Webots lets be negative.
double OdeJoint::damping() const {
  return std::clamp(damping_ + state_->brake_damping, 0.0, kStrongest);
}

double OdeJoint::rate() const {
  if (!is_hinge()) {
    return dJointGetSliderPositionRate(joint_);
  }
  const double rate = dJointGetHingeAngleRate(joint_);
  return reversed_ ? rate : -rate;
}

// How the body has turned in the last step, by ODE's small-angle formula.
Mat3 OdeJoint::last_turn() const {
  const Vec3 spin = to_vec3(spin_);
  return rotation_matrix({spin, 2.0 * std::atan(0.5 * h_ * norm(spin))});
}

// Motor, friction and stop, from the forces that the joint's rows put on the body. They acted on
// the pose before the step: `turn` brings them to the present one. ODE tells nothing of a body that
// is not there; what the world gets is the opposite of what the other body gets.
double OdeJoint::constraint_effort(const Mat3& turn) const {
  const bool first = reversed_ || child_ == nullptr;
  const auto on_body = [&](const dReal* on_first, const dReal* on_second) {
    return turn * to_vec3(first ? on_first : on_second);
  };
  const auto& [joint, stops] = *feedback_;
  const Vec3 force = on_body(joint.f1, joint.f2);
  const double sign = child_ == nullptr ? -1.0 : 1.0;
  dVector3 axis;
  if (!is_hinge()) {
    dJointGetSliderAxis(joint_, axis);
    return -sign * dot(to_vec3(axis), force);
  }
  const Vec3 torque = on_body(joint.t1, joint.t2) + on_body(stops.t1, stops.t2);
  dVector3 anchor;
  dJointGetHingeAxis(joint_, axis);
  child_ != nullptr ? dJointGetHingeAnchor2(joint_, anchor) : dJointGetHingeAnchor(joint_, anchor);
  const Vec3 arm = to_vec3(anchor) - to_vec3(dBodyGetPosition(body()));
  const double effort = sign * dot(to_vec3(axis), torque + cross(force, arm));
  return reversed_ ? -effort : effort;
}

// At a stop ODE takes the motor's row away and adds its whole force to the bodies instead.
double OdeJoint::push_against_stop() const {
  const bool at_low = state_->position <= low_stop_;
  if (!at_low && !(state_->position >= high_stop_)) {
    return 0.0;
  }
  const double v = state_->drive.velocity;
  const double direction = v != 0.0 ? v : at_low ? -1.0 : 1.0;
  return std::copysign(std::clamp(state_->drive.max_force, 0.0, kStrongest), direction);
}

void OdeJoint::measure() const {
  state_->velocity = rate();
  // Feedback is Webots' number, which takes the pose after the step.
  state_->constraint_effort = constraint_effort({});
  state_->effort = constraint_effort(last_turn()) + state_->drive.force + push_against_stop();
  if (soft_ != nullptr) {
    const double p = is_hinge() ? wrap_near(state_->position, 0.0) : state_->position;
    state_->effort -= spring_ * p + damping() * state_->velocity;
  }
}

}  // namespace servosim
