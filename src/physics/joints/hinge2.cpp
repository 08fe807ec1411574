// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/hinge2.h"

#include <algorithm>
#include <cmath>

#include "physics/joints/joint_coordinate.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

OdeHinge2::OdeHinge2(dWorldID world, std::span<const JointSpec> specs, const Body& parent,
                     const Body& child, const Vec3& axis1, const Vec3& axis2, const Vec3& anchor,
                     std::span<JointState> states, double h)
    : parent_(&parent),
      child_(&child),
      in_bodies_{in_frame_of(parent, axis1), in_frame_of(child, axis2)},
      h_(h),
      per_step_(1.0 / h),
      world_erp_(dWorldGetERP(world)),
      world_cfm_(dWorldGetCFM(world)),
      first_(2 - static_cast<int>(specs.size())),
      joint_(made(dJointCreateHinge2(world, nullptr), "a Hinge2Joint")),
      feedback_(std::make_unique<std::array<dJointFeedback, 2>>()) {
  create_joint(axis1, axis2, anchor);
  set_suspension(specs.front());
  bool soft = false;
  for (int i = first_; i < 2; ++i) {
    const JointSpec& spec = specs[i - first_];
    JointState& state = states[i - first_];
    axes_[i] = {&state,
                state.position,
                std::min(spec.spring_constant, kMaxForce),
                spec.damping_constant,
                stops_of(world, spec),
                {}};
    if (axes_[i].stops.exist()) {
      if (stops_ == nullptr) {
        stops_ = create_rows(world);
        dJointSetFeedback(stops_, &feedback_->at(1));
      }
      set_row_stops(stops_, i, axes_[i].stops);
    }
    soft = soft || spec.has_brake || spec.spring_constant > 0.0 || spec.damping_constant > 0.0;
  }
  if (soft) {
    soft_ = create_rows(world);
    update_soft_rows();
  }
}

void OdeHinge2::create_joint(const Vec3& axis1, const Vec3& axis2, const Vec3& anchor) {
  dJointAttach(joint_, parent_->id, child_->id);
  const dVector3 a1{axis1.x, axis1.y, axis1.z};
  const dVector3 a2{axis2.x, axis2.y, axis2.z};
  dJointSetHinge2Anchor(joint_, anchor.x, anchor.y, anchor.z);
  dJointSetHinge2Axes(joint_, a1, a2);
  dJointSetFeedback(joint_, &feedback_->at(0));
  if (first_ == 1) {
    dJointSetHinge2Param(joint_, dParamLoStop, 0.0);
    dJointSetHinge2Param(joint_, dParamHiStop, 0.0);
  }
}

void OdeHinge2::set_suspension(const JointSpec& spec) {
  suspension_ = soft_row(bounded_max_force(spec.suspension.spring_constant),
                         bounded_max_force(spec.suspension.damping_constant), h_);
  if (suspension_.active) {
    dJointSetHinge2Param(joint_, dParamSuspensionERP, suspension_.erp);
    dJointSetHinge2Param(joint_, dParamSuspensionCFM, suspension_.cfm);
  }
}

// Axis 1 turns with the parent, axis 2 with the child.
dJointID OdeHinge2::create_rows(dWorldID world) {
  const dJointID rows = create_angular_rows(world, parent_->id, child_->id, 2);
  const auto [a1, a2] = axes();
  dJointSetAMotorAxis(rows, 0, 1, a1.x, a1.y, a1.z);
  dJointSetAMotorAxis(rows, 1, 2, a2.x, a2.y, a2.z);
  return rows;
}

void OdeHinge2::update_soft_rows() {
  if (soft_ == nullptr) {
    return;
  }
  soft_active_ = false;
  for (int i = first_; i < 2; ++i) {
    Axis& a = axes_[i];
    a.soft = soft_row(a.spring, total_damping(a.damping, *a.state), h_);
    set_soft_row(soft_, i, a.soft);
    soft_active_ = soft_active_ || a.soft.active;
  }
  soft_active_ ? dJointEnable(soft_) : dJointDisable(soft_);
}

void OdeHinge2::hand_rows_to_ode() {
  if (is_awake(child_->id, parent_->id)) {
    feedback_->at(1) = {};  // ODE leaves that of a joint without rows as it was
  }
  for (int i = first_; i < 2; ++i) {
    hand_motor_row_to_ode(i);
  }
  hand_angles_to_ode();
}

void OdeHinge2::hand_motor_row_to_ode(int number) {
  const MotorRow& wanted = motor_rows_[number];
  MotorRow& row = rows_of_ode_[number];
  if (wanted.velocity != row.velocity) {
    dJointSetHinge2Param(joint_, of_row(dParamVel, number), -bounded_velocity(wanted.velocity));
  }
  if (wanted.max_force != row.max_force) {
    dJointSetHinge2Param(joint_, of_row(dParamFMax, number), bounded_max_force(wanted.max_force));
  }
  if (wanted.softness != row.softness) {
    dJointSetHinge2Param(joint_, of_row(dParamCFM, number), row_cfm(world_cfm_, wanted.softness));
  }
  row = wanted;
}

void OdeHinge2::hand_angles_to_ode() {
  for (int i = first_; i < 2; ++i) {
    const double p = axes_[i].state->position;
    if (soft_active_) {
      dJointSetAMotorAngle(soft_, i, -wrap_near(p, 0.0));
    }
    if (stops_ != nullptr) {
      dJointSetAMotorAngle(stops_, i, -axes_[i].stops.beyond(p));
    }
  }
}

void OdeHinge2::before_step() {
  rates_.forget();
  std::array<double, 2> force{};
  bool brake_changed = false;
  for (int i = first_; i < 2; ++i) {
    JointState& state = *axes_[i].state;
    if (state.wake) {
      state.wake = false;
      wake(child_->id);
    }
    brake_changed = brake_changed || state.brake_changed;
    state.brake_changed = false;
    motor_rows_[i] = motor_row(state.drive);
    axes_[i].is_at_stop = axes_[i].stops.hold(state.position);
    force[i] = bounded_force(state.drive.force);
  }
  if (brake_changed) {
    update_soft_rows();
  }
  if ((force[0] != 0.0 || force[1] != 0.0) && is_awake(child_->id, parent_->id)) {
    dJointAddHinge2Torques(joint_, -force[0], -force[1]);
  }
}

void OdeHinge2::add_rows_of(int number, std::size_t direction, const StepSettings& settings,
                            AxesRows& rows) const {
  const Axis& a = axes_[number];
  const MotorRow& motor = motor_rows_[number];
  if (motor.max_force > 0.0) {
    rows.add(direction, AxisRow::Owner::Joint, motor_row_numbers(motor, settings));
  }
  if (soft_active_ && a.soft.active) {
    rows.add(direction, AxisRow::Owner::Soft,
             spring_row_numbers(a.soft.erp * per_step_, a.soft.cfm,
                                wrap_near(a.state->position, 0.0), settings));
  }
  if (a.is_at_stop) {
    rows.add(direction, AxisRow::Owner::Stops, a.stops.row(a.state->position, settings));
  }
}

void OdeHinge2::add_axis_rows(const Vec3& axis1, const Vec3& axis2, double travel,
                              const StepSettings& settings, AxesRows& rows) const {
  if (suspension_.active) {
    rows.add(rows.add(Direction{axis1, false}), AxisRow::Owner::Joint,
             spring_row_numbers(suspension_.erp * per_step_, suspension_.cfm, travel, settings));
  }
  for (int i = 0; i < 2; ++i) {
    const std::size_t direction = rows.add(Direction{i == 0 ? axis1 : axis2, true});
    if (i < first_) {
      // Both of its stops are at 0.
      const double turned = -dJointGetHinge2Angle1(joint_);
      rows.add(direction, AxisRow::Owner::Joint,
               spring_row_numbers(world_erp_ * per_step_, world_cfm_, turned, settings));
      continue;
    }
    add_rows_of(i, direction, settings, rows);
  }
}

bool OdeHinge2::is_at_work() const {
  const std::array<double, 2> speed = rates();
  bool works = suspension_.active && std::abs(travel_rate()) > kStill;
  for (int i = first_; i < 2; ++i) {
    const Axis& a = axes_[i];
    works = works || servosim::is_at_work(a.state->drive, soft_active_ && a.soft.active, speed[i]);
  }
  return works;
}

// The child's anchor is this far from the parent's, along axis 1.
double OdeHinge2::travel_rate() const {
  dVector3 anchor;
  dJointGetHinge2Anchor2(joint_, anchor);
  const auto velocity_of = [&anchor](const Body& body) {
    return to_vec3(body.velocity) +
           cross(to_vec3(body.spin), to_vec3(anchor) - to_vec3(body.position));
  };
  return dot(axes()[0], velocity_of(*child_) - velocity_of(*parent_));
}

OdeHinge2::Memory OdeHinge2::memory() const {
  const auto& [joint, stops] = *feedback_;
  return {to_vec3(joint.f2), to_vec3(joint.t2) + to_vec3(stops.t2)};
}

void OdeHinge2::restore(const Memory& memory) {
  auto& [joint, stops] = *feedback_;
  to_ode(memory.force, joint.f2);
  to_ode(memory.torque, joint.t2);
  stops = {};
  update_soft_rows();
}

void OdeHinge2::after_step(bool some_turn_fast) {
  const bool fast = some_turn_fast && turns_fast(child_->spin, parent_->spin, h_);
  const std::array<double, 2> speed = fast ? rates() : std::array<double, 2>{};
  for (int i = first_; i < 2; ++i) {
    const Axis& a = axes_[i];
    const double angle = i == 0 ? -dJointGetHinge2Angle1(joint_) : dJointGetHinge2Angle2(joint_);
    a.state->position = wrap_near(angle + a.offset, a.state->position + speed[i] * h_);
  }
}

std::array<Vec3, 2> OdeHinge2::axes() const {
  return {to_mat3(parent_->rotation) * in_bodies_[0], to_mat3(child_->rotation) * in_bodies_[1]};
}

// ODE's rates are projections on the axes, which is the same for perpendicular axes only. The
// child turns against the parent by rate1·axis1 + rate2·axis2.
std::array<double, 2> OdeHinge2::rates() const {
  const Vec3 spin = to_vec3(child_->spin) - to_vec3(parent_->spin);
  const auto [a1, a2] = axes();
  const double c = dot(a1, a2);
  const double on1 = dot(a1, spin);
  const double on2 = dot(a2, spin);
  return {(on1 - c * on2) / (1.0 - c * c), (on2 - c * on1) / (1.0 - c * c)};
}

// The torque of the rows on the child, about the anchor, in the world as it was before the child's
// last `turn`, which is when they acted.
Vec3 OdeHinge2::torque_on_child(const Mat3& turn) const {
  const auto [force, torque] = memory();
  dVector3 anchor;
  dJointGetHinge2Anchor2(joint_, anchor);
  const Vec3 arm = transposed(turn) * (to_vec3(anchor) - to_vec3(child_->position));
  return torque + cross(force, arm);
}

void OdeHinge2::measure() const {
  const std::array<double, 2> speed = rates();
  const std::array<Vec3, 2> axis = axes();
  const Mat3 child_turn = last_turn(child_->id, h_);
  // Feedback is Webots' number, which takes the pose after the step.
  const Vec3 now = torque_on_child({});
  const Vec3 then = torque_on_child(child_turn);
  for (int i = first_; i < 2; ++i) {
    const Axis& a = axes_[i];
    JointState& state = *a.state;
    const Mat3 turn = i == 0 ? last_turn(parent_->id, h_) : child_turn;
    state.velocity = speed[i];
    state.constraint_effort = dot(axis[i], now);
    state.effort = dot(transposed(turn) * axis[i], then) + state.drive.force;
    state.effort -= a.spring * wrap_near(state.position, 0.0) +
                    total_damping(a.damping, state) * state.velocity;
  }
}

}  // namespace servosim
