// SPDX-License-Identifier: Apache-2.0
// What a joint's motor does in a step: the schemes of figure 2 of the document.
#include <algorithm>
#include <cmath>

#include "servosim/velocity_controller.h"
#include "yarp/control_board/joint.h"

namespace servosim::yarp {

namespace {

// An effort that is applied as it is, through what counts of its Pid.
double bounded(double effort, const Pid& pid) {
  return std::clamp(effort + pid.offset, -pid.max_output, pid.max_output);
}

}  // namespace

JointDrive BoardJoint::advance(const JointMeasurement& now, double h) {
  advance_reference(now, h);
  last_ = law(now, h);
  last_.force = std::clamp(last_.force, -facts.max_effort, facts.max_effort);
  last_.max_force = std::min(last_.max_force, facts.max_effort);
  return last_;
}

// To the end of the step, where the law is to have the joint.
void BoardJoint::advance_reference(const JointMeasurement& now, double h) {
  const vocab32_t mode = status.mode();
  const bool velocity =
      mode == VOCAB_CM_VELOCITY || mode == VOCAB_CM_MIXED || mode == VOCAB_CM_VELOCITY_DIRECT;
  const bool trajectory = mode == VOCAB_CM_POSITION || mode == VOCAB_CM_CALIBRATING;
  double wanted = q_ref_;
  double rate = 0.0;
  if (trajectory || mode == VOCAB_CM_MIXED) {
    const double before = trajectory_.position();
    if (trajectory_.moving()) {
      trajectory_.advance(h);
    }
    motion_done = !trajectory_.moving();
    wanted = trajectory ? trajectory_.position() : wanted + trajectory_.position() - before;
    rate = trajectory_.velocity();
  }
  if (velocity) {
    advance_speed(now, h);
    wanted += speed_ * h;
    rate += speed_;
  }
  if (follows_velocity()) {
    q_ref_ = now.position;
    v_ref_ = admitted_speed(speed_, now, h);
    return;
  }
  v_ref_ = rate;
  if (limited() && mode != VOCAB_CM_CALIBRATING) {
    // A reference that is outside may come back, but go no further.
    const double bounded =
        std::clamp(wanted, std::min(min_position, q_ref_), std::max(max_position, q_ref_));
    v_ref_ = bounded == wanted ? v_ref_ : 0.0;
    wanted = bounded;
  }
  q_ref_ = wanted;
}

void BoardJoint::advance_speed(const JointMeasurement& now, double h) {
  if (now.time - commanded_at_ > config.velocity_timeout) {
    ref_velocity = desired_velocity = speed_ = 0.0;
  }
  speed_ = status.mode() == VOCAB_CM_VELOCITY_DIRECT
               ? desired_velocity
               : detail::approach(speed_, ref_velocity, ref_acceleration * h);
}

bool BoardJoint::follows_velocity() const {
  return status.mode() == VOCAB_CM_VELOCITY_DIRECT ||
         (status.mode() == VOCAB_CM_VELOCITY && config.direct_velocity_pid && !status.compliant());
}

// At most as fast as a limit is reached at the end of the step; out there, no further.
double BoardJoint::admitted_speed(double speed, const JointMeasurement& now, double h) const {
  return limited() ? std::clamp(speed, std::min((min_position - now.position) / h, 0.0),
                                std::max((max_position - now.position) / h, 0.0))
                   : speed;
}

JointDrive BoardJoint::law(const JointMeasurement& now, double h) {
  if (status.off()) {
    return {};
  }
  if (status.mode() == VOCAB_CM_TORQUE) {
    return torque(now, h);
  }
  if (status.mode() == VOCAB_CM_PWM) {
    const double effort = config.effort_per_percent * ref_pwm + pids_[0].offset;
    return protected_effort(effort, hard_limits(), now, h);
  }
  if (status.mode() == VOCAB_CM_CURRENT) {
    const double effort = bounded(config.effort_per_ampere * ref_current, pids_[3]);
    return protected_effort(effort, hard_limits(), now, h);
  }
  if (follows_velocity()) {
    return velocity(now, h);
  }
  return status.compliant() && status.follows_position() ? compliant(now, h) : stiff(now, h);
}

JointDrive BoardJoint::stiff(const JointMeasurement& now, double h) {
  const Pid& pid = pids_[0];
  const double scale = std::exp2(-pid.scale);
  const double extra = beside_gains(pid, q_ref_ - now.position, h);
  return spring(pid.kp * scale, pid.kd * scale, extra, q_ref_, v_ref_, pid.max_output, now, h);
}

// Its proportional part is a damper.
JointDrive BoardJoint::velocity(const JointMeasurement& now, double h) {
  const Pid& pid = pids_[1];
  const double extra = beside_gains(pid, v_ref_ - now.velocity, h);
  return spring(0.0, pid.kp * std::exp2(-pid.scale), extra, 0.0, v_ref_, pid.max_output, now, h);
}

double BoardJoint::beside_gains(const Pid& pid, double error, double h) {
  const double gained = pid.ki * std::exp2(-pid.scale) * error * h;
  integral_ = std::clamp(integral_ + gained, -pid.max_int, pid.max_int);
  const double up = error > 0.0 ? pid.stiction_up_val : 0.0;
  const double down = error < 0.0 ? pid.stiction_down_val : 0.0;
  return integral_ + pid.kff * v_ref_ + pid.offset + (up - down);
}

// The damper acts on the joint's own velocity, not on the difference to the reference's.
JointDrive BoardJoint::compliant(const JointMeasurement& now, double h) const {
  const double extra = impedance_offset + pids_[0].offset;
  const double effort = stiffness * (q_ref_ - now.position) - damping * now.velocity + extra;
  if (pushes_out(effort, limits(), now)) {
    return back_to_limit(limits(), now, h);
  }
  return spring(stiffness, damping, extra, q_ref_, 0.0, facts.max_effort, now, h);
}

JointDrive BoardJoint::torque(const JointMeasurement& now, double h) const {
  return protected_effort(bounded(ref_torque, pids_[2]), limits(), now, h);
}

JointDrive BoardJoint::protected_effort(double effort, const Limits& limits,
                                        const JointMeasurement& now, double h) const {
  return pushes_out(effort, limits, now) ? back_to_limit(limits, now, h)
                                         : JointDrive{0.0, 0.0, effort, 0.0};
}

bool BoardJoint::pushes_out(double effort, const Limits& limits, const JointMeasurement& now) {
  return limits.any() && ((now.position > limits.max && effort > 0.0) ||
                          (now.position < limits.min && effort < 0.0));
}

JointDrive BoardJoint::back_to_limit(const Limits& limits, const JointMeasurement& now,
                                     double h) const {
  const Pid& pid = pids_[0];
  const double scale = std::exp2(-pid.scale);
  return spring(pid.kp * scale, pid.kd * scale, 0.0,
                std::clamp(now.position, limits.min, limits.max), 0.0, pid.max_output, now, h);
}

// k·(rest − q) + d·(rest velocity − q̇) + extra as one implicit row, so that all of it together is
// bounded by `most` and no gain is too large for the step.
JointDrive BoardJoint::spring(double k, double d, double extra, double rest, double rest_velocity,
                              double most, const JointMeasurement& now, double h) const {
  JointDrive drive = spring_drive(k / unit_, d / unit_, (rest - now.position) * unit_,
                                  rest_velocity * unit_, most, h);
  if (drive.softness == 0.0) {
    return {0.0, 0.0, std::clamp(extra, -most, most), 0.0};
  }
  drive.velocity += extra * drive.softness;
  if (!facts.soft) {
    drive.softness = 0.0;
  }
  return drive;
}

}  // namespace servosim::yarp
