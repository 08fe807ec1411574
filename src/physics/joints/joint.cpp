// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/joint.h"

#include <algorithm>
#include <cmath>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "scene/scene.h"
#include "servosim/spring_damper.h"

namespace servosim {

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
      offset_(state.position),
      stops_(stops_of(world, spec)),
      spring_(std::min(spec.spring_constant, kMaxForce)),
      damping_(spec.damping_constant),
      world_cfm_(dWorldGetCFM(world)) {
  create_joint(parent, child, axis, anchor);
  dJointSetFeedback(joint_, feedback_.get());
  if (stops_.exist()) {
    create_second_joint(axis);
  }
  if (spec.has_brake || soft_row(spring_, damping(), h_).active) {
    soft_ = create_axis_rows(world_, type_, parent_, child_, axis, 1);
    if (!is_hinge()) {
      dJointSetLMotorParam(soft_, dParamFMax, dInfinity);
    }
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

void OdeJoint::create_second_joint(const Vec3& axis) {
  second_ = create_axis_rows(world_, type_, parent_, child_, axis, 1);
  second_feedback_ = std::make_unique<dJointFeedback>();
  *second_feedback_ = {};
  dJointSetFeedback(second_, second_feedback_.get());
  if (is_hinge()) {
    set_row_stops(second_, 0, stops_);
    return;
  }
  dJointSetSliderParam(joint_, dParamStopERP, stops_.erp);
  dJointSetSliderParam(joint_, dParamStopCFM, stops_.cfm);
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
  if (second_ != nullptr) {
    hand_stops_to_ode();
  }
}

void OdeJoint::hand_motor_row_to_ode() {
  const double v = bounded_velocity(motor_row_.velocity);
  const bool is_second = !is_hinge() && second_ != nullptr;
  const auto set = is_hinge()  ? dJointSetHingeParam
                   : is_second ? dJointSetLMotorParam
                               : dJointSetSliderParam;
  const dJointID joint = is_second ? second_ : joint_;
  set(joint, dParamVel, is_hinge() || is_second ? -v : v);
  set(joint, dParamFMax, bounded_max_force(motor_row_.max_force));
  set(joint, dParamCFM, row_cfm(world_cfm_, motor_row_.softness));
}

void OdeJoint::hand_soft_row_to_ode() {
  if (is_hinge()) {
    dJointSetAMotorAngle(soft_, 0, -from_rest());
  } else {
    dJointSetLMotorParam(soft_, dParamVel, bounded_velocity(soft_gain_ * from_rest()));
  }
}

// A slider compares its own reading, which may differ from the position in the last bit: it gets a
// stop only where the position is at it.
void OdeJoint::hand_stops_to_ode() {
  if (is_awake(body(), parent_)) {
    *second_feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
  const double p = stops_.beyond(state_->position);
  if (is_hinge()) {
    dJointSetAMotorAngle(second_, 0, -p);
    return;
  }
  const double ahead = is_at_stop_ ? dJointGetSliderPosition(joint_) - p : 0.0;
  dJointSetSliderParam(joint_, dParamLoStop, p <= stops_.low ? stops_.low + ahead : -dInfinity);
  dJointSetSliderParam(joint_, dParamHiStop, p >= stops_.high ? stops_.high + ahead : dInfinity);
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
  motor_row_ = servosim::motor_row(drive);
  is_at_stop_ = stops_.hold(state_->position);
  has_motor_row_alone_ = !soft_active_ && !is_at_stop_;
  if (drive.force != 0.0 && is_awake(body(), parent_)) {
    const double f = bounded_force(drive.force);
    is_hinge() ? dJointAddHingeTorque(joint_, reversed_ ? f : -f) : dJointAddSliderForce(joint_, f);
  }
}

void OdeJoint::add_axis_rows(const StepSettings& settings, AxisRows& rows) const {
  if (motor_row_.max_force > 0.0) {
    rows.add(AxisRow::Owner::Joint, motor_row_numbers(motor_row_, settings));
  }
  if (soft_active_) {
    rows.add(AxisRow::Owner::Soft,
             spring_row_numbers(soft_gain_, soft_cfm_, from_rest(), settings));
  }
  if (is_at_stop_) {
    rows.add(AxisRow::Owner::Stops, stops_.row(state_->position, settings));
  }
}

OdeJoint::Memory OdeJoint::memory() const {
  const bool first = reads_first();
  const auto memory_of = [first](const dJointFeedback& f) -> Memory {
    return {to_vec3(first ? f.f1 : f.f2), to_vec3(first ? f.t1 : f.t2)};
  };
  Memory memory = memory_of(*feedback_);
  if (second_ != nullptr) {
    const Memory second = memory_of(*second_feedback_);
    memory = {memory.force + second.force, memory.torque + second.torque};
  }
  return memory;
}

void OdeJoint::set_forces(const Memory& memory) {
  const bool first = reads_first();
  to_ode(memory.force, first ? feedback_->f1 : feedback_->f2);
  to_ode(memory.torque, first ? feedback_->t1 : feedback_->t2);
  if (second_ != nullptr) {
    *second_feedback_ = {};
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
  const auto [force, torque] = memory();
  const Mat3 turn = last_turn(body(), h_);
  dVector3 axis;
  if (is_hinge()) {
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
  state_->effort += state_->drive.force;
  if (soft_active_) {
    state_->effort -= spring_ * from_rest() + damping() * state_->velocity;
  }
}

OdeBacklash::OdeBacklash(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
                         const Vec3& axis, JointState& state)
    : state_(&state),
      child_(child),
      hinge_(spec.type == JointType::Rotational),
      reversed_(parent == nullptr),
      rows_(create_axis_rows(world, spec.type, parent, child, axis, 2)),
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
  sides_ = {bounded_velocity(sides.low), bounded_velocity(sides.high),
            bounded_max_force(sides.max_force)};
  const double force = sides_.max_force;
  const auto set = hinge_ ? dJointSetAMotorParam : dJointSetLMotorParam;
  set(rows_, dParamVel1, -sides_.low);
  set(rows_, dParamVel2, -sides_.high);
  set(rows_, dParamFMax1, force);
  set(rows_, dParamFMax2, force);
  if (force == 0.0) {
    *feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
  commanded_ = wanted.velocity;
  gap_speed_ = contact_speed(state_->backlash, state_->position, h);
  if (wanted.force == 0.0 && !dBodyIsEnabled(child_) && gap_speed_ > wake_threshold) {
    state_->wake = true;
  }
}

bool OdeBacklash::is_at_work(double rate) const {
  return sides_.max_force > 0.0 && std::abs(commanded_) > kStill &&
         (gap_speed_ == 0.0 || std::abs(rate) > kStill);
}

void OdeBacklash::add_axis_rows(const StepSettings& settings, AxisRows& rows) const {
  if (sides_.max_force > 0.0) {
    for (const double velocity : {sides_.low, sides_.high}) {
      rows.add(AxisRow::Owner::Backlash, gap_row_numbers(velocity, sides_.max_force, settings));
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
  const double along = dot(to_vec3(axis), sides);
  return std::copysign(norm(sides), reversed_ ? -along : along);
}

void OdeBacklash::measure() const {
  const double on_sides = effort();
  state_->constraint_effort += on_sides;
  state_->effort += on_sides;
}

}  // namespace servosim
