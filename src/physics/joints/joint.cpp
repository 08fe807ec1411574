// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/joint.h"

#include <algorithm>
#include <cmath>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "scene/scene.h"
#include "servosim/spring_damper.h"

namespace servosim {

namespace {

constexpr double kAtStop = 1e-6;  // relative

}  // namespace

OdeJoint::OdeJoint(dWorldID world, const JointSpec& spec, const Body* parent, const Body* child,
                   const Vec3& axis, const Vec3& anchor, JointState& state, double h)
    : type_(spec.type),
      reversed_(parent == nullptr),
      world_(world),
      parent_(id_of(parent)),
      child_(id_of(child)),
      state_(&state),
      feedback_(std::make_unique<dJointFeedback>()),
      h_(h),
      per_step_(1.0 / h),
      offset_(state.position),
      spring_(std::min(spec.spring_constant, kMaxForce)),
      damping_(spec.damping_constant),
      world_cfm_(dWorldGetCFM(world)),
      stop_erp_(dWorldGetERP(world)),
      stop_cfm_(world_cfm_) {
  create_joint(parent, child, axis, anchor);
  dJointSetFeedback(joint_, feedback_.get());
  set_stops(spec);
  if (spec.has_brake || soft_row(spring_, damping(), h_).active) {
    create_soft_joint();
    update_soft_row();
  }
}

void OdeJoint::create_joint(const Body* parent, const Body* child, const Vec3& axis,
                            const Vec3& anchor) {
  const Vec3 of_ode = is_hinge() && !reversed_ ? axis : -axis;
  if (is_hinge()) {
    joint_ = made(dJointCreateHinge(world_, nullptr), "a hinge");
    dJointAttach(joint_, parent_, child_);
    dJointSetHingeAxis(joint_, of_ode.x, of_ode.y, of_ode.z);
    dJointSetHingeAnchor(joint_, anchor.x, anchor.y, anchor.z);
  } else {
    joint_ = made(dJointCreateSlider(world_, nullptr), "a slider");
    dJointAttach(joint_, parent_, child_);
    dJointSetSliderAxis(joint_, of_ode.x, of_ode.y, of_ode.z);
  }
  coordinate_ = JointCoordinate(type_, reversed_ ? *child : *parent, reversed_ ? nullptr : child,
                                of_ode, reversed_);
}

void OdeJoint::set_stops(const JointSpec& spec) {
  const Stops stops = stops_of(spec);
  if (!stops.exist()) {
    return;
  }
  const double low = stops.low - offset_;
  const double high = stops.high - offset_;
  if (is_hinge()) {
    stop_erp_ = spec.stop_erp >= 0.0 ? spec.stop_erp : stop_erp_;
    stop_cfm_ = spec.stop_cfm > 0.0 ? spec.stop_cfm : stop_cfm_;
  }
  if (is_hinge() && (low < -kOwnStops || high > kOwnStops)) {
    set_far_stops(stops, spec);
    return;
  }
  own_stops_ = stops;
  if (!is_hinge()) {
    dJointSetSliderParam(joint_, dParamLoStop, low);
    dJointSetSliderParam(joint_, dParamHiStop, high);
    return;
  }
  dJointSetHingeParam(joint_, dParamLoStop, -high);
  dJointSetHingeParam(joint_, dParamHiStop, -low);
  dJointSetHingeParam(joint_, dParamStopERP, stop_erp_);
  dJointSetHingeParam(joint_, dParamStopCFM, stop_cfm_);
}

// A row of its own, which gets the angle with its turns.
void OdeJoint::set_far_stops(const Stops& stops, const JointSpec& spec) {
  far_ = stops;
  far_stops_ = create_angular_row();
  far_feedback_ = std::make_unique<dJointFeedback>();
  dJointSetFeedback(far_stops_, far_feedback_.get());
  set_row_stops(far_stops_, 0, stops, offset_);
  set_row_softness(far_stops_, 0, spec);
}

dJointID OdeJoint::create_angular_row() {
  dVector3 axis;
  dJointGetHingeAxis(joint_, axis);
  const dJointID row = create_angular_rows(world_, parent_, child_, 1);
  // Relative to the first body that is not null.
  dJointSetAMotorAxis(row, 0, 1, axis[0], axis[1], axis[2]);
  return row;
}

void OdeJoint::create_soft_joint() {
  if (is_hinge()) {
    soft_ = create_angular_row();
    return;
  }
  dVector3 axis;
  dJointGetSliderAxis(joint_, axis);
  soft_ = made(dJointCreateLMotor(world_, nullptr), "the rows of a joint");
  dJointAttach(soft_, parent_, child_);
  dJointSetLMotorNumAxes(soft_, 1);
  dJointSetLMotorAxis(soft_, 0, 1, axis[0], axis[1], axis[2]);
  dJointSetLMotorParam(soft_, dParamFMax, dInfinity);
}

void OdeJoint::set_soft_row() {
  soft_damping_ = damping();
  const SoftRow row = soft_row(spring_, soft_damping_, h_);
  soft_active_ = row.active;
  if (!row.active) {
    dJointDisable(soft_);
    return;
  }
  dJointEnable(soft_);
  soft_gain_ = row.erp / h_;
  soft_cfm_ = row.cfm;
  if (is_hinge()) {
    servosim::set_soft_row(soft_, 0, row);
  } else {
    dJointSetLMotorParam(soft_, dParamCFM, row.cfm);
  }
}

void OdeJoint::hand_rows_to_ode() {
  hand_motor_row_to_ode();
  if (soft_active_) {
    hand_soft_row_to_ode();
  }
  if (far_stops_ != nullptr) {
    dJointSetAMotorAngle(far_stops_, 0, offset_ - state_->position);
  }
}

void OdeJoint::hand_motor_row_to_ode() {
  const double v = bounded_velocity(motor_row_.velocity);
  const auto set = is_hinge() ? dJointSetHingeParam : dJointSetSliderParam;
  set(joint_, dParamVel, is_hinge() ? -v : v);
  set(joint_, dParamFMax, bounded_max_force(motor_row_.max_force));
  set(joint_, dParamCFM, row_cfm(world_cfm_, motor_row_.softness));
}

// How far the soft row is from the rest position p = 0.
void OdeJoint::hand_soft_row_to_ode() {
  if (is_hinge()) {
    dJointSetAMotorAngle(soft_, 0, -wrap_near(state_->position, 0.0));
  } else {
    const double wanted = bounded_velocity(soft_gain_ * state_->position);
    dJointSetLMotorParam(soft_, dParamVel, reversed_ ? wanted : -wanted);
  }
}

void OdeJoint::before_step() {
  knows_place_ = knows_rate_ = false;
  if (state_->wake) {
    state_->wake = false;
    wake(body());
  }
  if (state_->brake_changed) {
    state_->brake_changed = false;
    update_soft_row();
  }
  const JointState::Drive& drive = state_->drive;
  motor_row_ = servosim::motor_row(drive, own_stops_, state_->position);
  has_motor_row_alone_ = !soft_active_ && far_stops_ == nullptr && !is_near_stop();
  if (drive.force != 0.0 && is_awake(body(), parent_)) {
    const double f = bounded_force(drive.force);
    is_hinge() ? dJointAddHingeTorque(joint_, reversed_ ? f : -f) : dJointAddSliderForce(joint_, f);
  }
  if (far_stops_ != nullptr && state_->position > far_.low && state_->position < far_.high) {
    *far_feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
}

// Near a stop the last bit decides whether the joint is at it.
double OdeJoint::position_for_stops() const {
  const double p = state_->position - offset_;
  const double known = is_hinge() ? wrap_near(p, 0.0) : p;
  const double gap = std::min(std::abs(known - (own_stops_.low - offset_)),
                              std::abs(known - (own_stops_.high - offset_)));
  return gap < kAtStop * (1.0 + std::abs(known)) ? coordinate_.position() : known;
}

double OdeJoint::add_axis_rows(AxisRows& rows) const {
  double push = 0.0;
  const auto add_stop = [&](AxisRow::Owner owner, bool at_low, double error) {
    rows.add(owner, stop_cfm_ * per_step_, -stop_erp_ * per_step_ * error * per_step_,
             at_low ? 0.0 : -kInfinity, at_low ? kInfinity : 0.0);
  };
  const double p = own_stops_.exist() ? position_for_stops() : 0.0;
  const double low = own_stops_.low - offset_;
  const double high = own_stops_.high - offset_;
  if (const bool at_low = p <= low; at_low || p >= high) {
    if (const double force = bounded_max_force(motor_row_.max_force); force > 0.0) {
      const double velocity = motor_row_.velocity;
      push = std::copysign(force, velocity != 0.0 ? velocity : at_low ? -1.0 : 1.0);
    }
    add_stop(AxisRow::Owner::Joint, at_low, p - (at_low ? low : high));
  } else if (const double force = bounded_max_force(motor_row_.max_force); force > 0.0) {
    rows.add(AxisRow::Owner::Joint, row_cfm(world_cfm_, motor_row_.softness) * per_step_,
             bounded_velocity(motor_row_.velocity) * per_step_, -force, force);
  }
  if (soft_active_) {
    const double from_rest = is_hinge() ? wrap_near(state_->position, 0.0) : state_->position;
    const double wanted = soft_gain_ * from_rest;
    rows.add(AxisRow::Owner::Soft, soft_cfm_ * per_step_,
             -(is_hinge() ? wanted : bounded_velocity(wanted)) * per_step_, -kInfinity, kInfinity);
  }
  if (far_stops_ != nullptr) {
    // As ODE compares them.
    const double angle = offset_ - state_->position;
    const double lowest = offset_ - far_.high;
    const double highest = offset_ - far_.low;
    if (const bool at_high = angle <= lowest; at_high || angle >= highest) {
      add_stop(AxisRow::Owner::FarStops, !at_high, -(angle - (at_high ? lowest : highest)));
    }
  }
  return push;
}

OdeJoint::Memory OdeJoint::memory() const {
  const bool first = reads_first();
  const auto torque_of = [first](const dJointFeedback& f) { return to_vec3(first ? f.t1 : f.t2); };
  return {to_vec3(first ? feedback_->f1 : feedback_->f2), torque_of(*feedback_),
          far_feedback_ != nullptr ? torque_of(*far_feedback_) : Vec3{}};
}

void OdeJoint::set_forces(const Memory& memory) {
  const bool first = reads_first();
  to_ode(memory.force, first ? feedback_->f1 : feedback_->f2);
  to_ode(memory.torque, first ? feedback_->t1 : feedback_->t2);
  if (far_feedback_ != nullptr) {
    to_ode(memory.torque_of_far_stops, first ? far_feedback_->t1 : far_feedback_->t2);
  }
}

void OdeJoint::set_position(double place, bool some_turn_fast) {
  if (!is_hinge()) {
    state_->position = place + offset_;
    return;
  }
  const double before = state_->position;
  double now = wrap_near(place + offset_, before);
  if (some_turn_fast && coordinate_.turns_fast(h_)) {
    now = wrap_near(now, before + rate() * h_);
  }
  state_->position = now;
}

// Motor, friction and stop, from the forces that the joint's rows put on the body. They acted on
// the pose before the step; Webots' number takes the one after it, `effort` turns them along. ODE
// has no feedback of a body that is not there; the world gets the opposite of what the other body
// gets.
void OdeJoint::measure() const {
  state_->velocity = rate();
  const auto [force, own_torque, torque_of_far_stops] = memory();
  const Mat3 turn = last_turn(body(), h_);
  dVector3 axis;
  if (is_hinge()) {
    const Vec3 torque = own_torque + torque_of_far_stops;
    dVector3 anchor;
    dJointGetHingeAxis(joint_, axis);
    child_ != nullptr ? dJointGetHingeAnchor2(joint_, anchor)
                      : dJointGetHingeAnchor(joint_, anchor);
    const Vec3 arm = to_vec3(anchor) - to_vec3(dBodyGetPosition(body()));
    const Vec3 forward = reads_first() ? -to_vec3(axis) : to_vec3(axis);
    state_->constraint_effort = dot(forward, torque + cross(force, arm));
    state_->effort = dot(forward, turn * torque + cross(turn * force, arm));
  } else {
    dJointGetSliderAxis(joint_, axis);
    const Vec3 forward = child_ == nullptr ? to_vec3(axis) : -to_vec3(axis);
    state_->constraint_effort = dot(forward, force);
    state_->effort = dot(forward, turn * force);
  }
  state_->effort += state_->drive.force + push_against(own_stops_, *state_);
  if (soft_active_) {
    const double p = is_hinge() ? wrap_near(state_->position, 0.0) : state_->position;
    state_->effort -= spring_ * p + damping() * state_->velocity;
  }
}

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
  const BacklashRows sides =
      move_shaft(state_->backlash, wanted, state_->position, state_->static_friction, softness, h);
  state_->drive = {0.0, state_->static_friction, wanted.force, 0.0};
  // ODE's velocity of a row is that of its first body.
  const double sign = reversed_ ? 1.0 : -1.0;
  sides_ = {bounded_velocity(sides.low), bounded_velocity(sides.high),
            bounded_max_force(sides.max_force)};
  const double low = sign * sides_.low;
  const double high = sign * sides_.high;
  const double force = sides_.max_force;
  const auto set = hinge_ ? dJointSetAMotorParam : dJointSetLMotorParam;
  set(rows_, dParamVel1, low);
  set(rows_, dParamVel2, high);
  set(rows_, dParamFMax1, force);
  set(rows_, dParamFMax2, force);
  if (force == 0.0) {
    *feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
  if (wanted.force == 0.0 && !dBodyIsEnabled(child_) &&
      contact_speed(state_->backlash, state_->position, h) > wake_threshold) {
    state_->wake = true;
  }
}

void OdeBacklash::add_axis_rows(AxisRows& rows, double h) const {
  if (sides_.max_force > 0.0) {
    const double softness = row_cfm(child_, 0.0) / h;
    for (const double velocity : {sides_.low, sides_.high}) {
      rows.add(AxisRow::Owner::Backlash, softness, velocity / h, -sides_.max_force,
               sides_.max_force);
    }
  }
}

dReal* OdeBacklash::on_child() const {
  dJointFeedback& f = *feedback_;
  return hinge_ ? (reversed_ ? f.t1 : f.t2) : (reversed_ ? f.f1 : f.f2);
}

OdeBacklash::Memory OdeBacklash::memory() const { return {to_vec3(on_child())}; }

void OdeBacklash::restore(const Memory& memory) { to_ode(memory.on_child, on_child()); }

// On the child along +axis. The rows put nothing else on it.
double OdeBacklash::effort() const {
  dVector3 axis;
  if (hinge_) {
    dJointGetAMotorAxis(rows_, 0, axis);
  } else {
    dVector3 in_first;  // ODE gives this one in the frame of its first body
    dJointGetLMotorAxis(rows_, 0, in_first);
    dBodyVectorToWorld(reversed_ ? child_ : dJointGetBody(rows_, 0), in_first[0], in_first[1],
                       in_first[2], axis);
  }
  const Vec3 sides = to_vec3(on_child());
  return std::copysign(norm(sides), dot(to_vec3(axis), sides));
}

void OdeBacklash::measure() const {
  const double on_sides = effort();
  state_->constraint_effort += on_sides;
  state_->effort += on_sides;
}

}  // namespace servosim
