// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "servosim/velocity_controller.h"

// The modes and commands of a joint; its law is in joint_law.cpp.

namespace servosim::yarp {

namespace {

// Beyond these nothing moves, but the arithmetic might overflow.
constexpr double kFar = 1e9;
constexpr double kSlow = 1e-9;
constexpr double kLargestGain = 1e12;

constexpr double kUsualTorque = 2000.0;  // [N·m|N] measured beyond it is a fault
constexpr double kPidTime = 0.05;        // [s] in which the default position loop follows
constexpr double kDamperTime = 0.1;      // [s] damper by spring of the default impedance
constexpr double kCalibrated = 0.5;  // [deg] or half a millimetre, of the place to be calibrated at

double gain(double effort, double bend) { return std::min(effort / bend, kLargestGain); }

Pid default_position_pid(const JointInfo& facts) {
  Pid pid;
  pid.kp = gain(facts.max_effort, facts.revolute ? 0.1 : 1e-4);
  pid.kd = kPidTime * pid.kp;
  pid.max_int = pid.max_output = facts.max_effort;
  return pid;
}

Pid default_velocity_pid(const JointInfo& facts) {
  Pid pid;
  pid.kp = gain(facts.max_effort, facts.revolute ? 1.0 : 1e-3);
  pid.max_int = pid.max_output = facts.max_effort;
  return pid;
}

Pid default_effort_pid(const JointInfo& facts) {
  Pid pid;
  pid.max_output = facts.max_effort;
  return pid;
}

JointStatus::Rules rules(const JointConfig& config, const JointInfo& facts,
                         const BoardConfig& board) {
  return {config.modes, config.compliant && facts.soft, board.fault_on_invalid_mode,
          board.fault_on_invalid_interaction};
}

bool within(double value, double limit) { return std::abs(value) <= limit; }

}  // namespace

BoardJoint::BoardJoint(const JointConfig& the_config, const JointInfo& the_facts,
                       const BoardConfig& board, double position)
    : config(the_config),
      facts(the_facts),
      status(rules(the_config, the_facts, board), VOCAB_CM_NOT_CONFIGURED),
      unit_(the_facts.revolute ? std::numbers::pi / 180.0 : 1.0),
      calibration_timeout_(board.calibration_timeout),
      pids_{config.position_pid.value_or(default_position_pid(facts)),
            config.velocity_pid.value_or(default_velocity_pid(facts)),
            config.torque_pid.value_or(default_effort_pid(facts)),
            config.current_pid.value_or(default_effort_pid(facts))} {
  const double usual = facts.revolute ? 10.0 : 0.01;
  max_velocity = config.max_velocity.value_or(facts.max_velocity / unit_);
  ref_speed = config.ref_speed.value_or(std::min(usual, max_velocity));
  ref_acceleration = config.ref_acceleration.value_or(usual);
  min_position = config.min_position.value_or(facts.min_position / unit_);
  max_position = config.max_position.value_or(facts.max_position / unit_);
  hard_min_ = facts.min_position < facts.max_position ? facts.min_position / unit_ : min_position;
  hard_max_ = facts.min_position < facts.max_position ? facts.max_position / unit_ : max_position;
  stiffness = config.stiffness.value_or(gain(facts.max_effort, facts.revolute ? 50.0 : 0.05));
  damping = config.damping.value_or(kDamperTime * stiffness);
  max_current = nominal_current = peak_current = config.max_current;
  max_torque_ = config.max_torque.value_or(std::max(kUsualTorque, 2.0 * facts.max_effort));
  has_calibration = config.calibration.has_value();
  calibration_parameters = config.calibration.value_or(CalibrationParameters{});
  const JointMeasurement now = measured(position, 0.0, 0.0, 0.0);
  hold(now);
  forget_commands(now);
}

JointMeasurement BoardJoint::measured(double position, double velocity, double torque,
                                      double time) const {
  // A soft row gives what its law says; that of a rigid one only the joint can tell.
  double output = last_.force;
  if (last_.softness > 0.0) {
    output +=
        std::clamp((last_.velocity - velocity) / last_.softness, -last_.max_force, last_.max_force);
  } else if (last_.max_force > 0.0) {
    output = torque;
  }
  return {position / unit_ - zero, velocity / unit_, torque, output, time};
}

Fault BoardJoint::wrong(const JointMeasurement& now) const {
  if (!within(now.torque, max_torque_)) {
    return {kTorqueFault, "its measured torque is beyond its limit"};
  }
  if (!within(now.output / config.effort_per_ampere, max_current)) {
    return {kCurrentFault, "over-current"};
  }
  const Limits hard = hard_limits();
  if (hard.any() && (now.position > hard.max + config.hard_limit_margin ||
                     now.position < hard.min - config.hard_limit_margin)) {
    return {kHardLimitFault, "hard limit reached"};
  }
  return {};
}

Fault BoardJoint::look(const JointMeasurement& now) {
  if (now.time > seen_time) {
    acceleration = (now.velocity - seen_velocity) / (now.time - seen_time);
  }
  seen_time = now.time;
  seen_velocity = now.velocity;
  const bool ignored =
      status.mode() == VOCAB_CM_HW_FAULT || status.mode() == VOCAB_CM_NOT_CONFIGURED;
  return ignored ? Fault{} : wrong(now);
}

void BoardJoint::hold(const JointMeasurement& now) {
  trajectory_ = Trajectory(now.position);
  motion_done = true;
  q_ref_ = now.position;
  v_ref_ = speed_ = 0.0;
  commanded_at_ = now.time;
}

void BoardJoint::forget_commands(const JointMeasurement& now) {
  const vocab32_t mode = status.mode();
  if (mode == VOCAB_CM_POSITION || mode == VOCAB_CM_MIXED) {
    target_position = now.position;
  }
  if (mode == VOCAB_CM_POSITION_DIRECT) {
    ref_position = now.position;
  }
  if (mode == VOCAB_CM_VELOCITY || mode == VOCAB_CM_MIXED) {
    ref_velocity = 0.0;
  }
  if (mode == VOCAB_CM_VELOCITY_DIRECT) {
    desired_velocity = 0.0;
  }
}

void BoardJoint::enter(vocab32_t mode, const JointMeasurement& now) {
  const double output = status.off() ? 0.0 : now.output;
  status.enter(mode);
  hold(now);
  reset_pid();
  forget_commands(now);
  const int pid_of_mode = active_pid();
  const double carried = pid_of_mode < 0 ? output : output - pids_[pid_of_mode].offset;
  if (mode == VOCAB_CM_TORQUE) {
    ref_torque = carried;
  } else if (mode == VOCAB_CM_PWM) {
    ref_pwm =
        std::clamp((output - pids_[0].offset) / config.effort_per_percent, -pwm_limit, pwm_limit);
  } else if (mode == VOCAB_CM_CURRENT) {
    ref_current = carried / config.effort_per_ampere;
  }
}

void BoardJoint::interact(vocab32_t interaction, const JointMeasurement& now) {
  if (interaction == status.interaction()) {
    return;
  }
  status.interact(interaction);
  if (status.follows_position()) {
    hold(now);
    reset_pid();
    forget_commands(now);
  }
}

void BoardJoint::calibrate(const CalibrationParameters& parameters, const JointMeasurement& now) {
  calibration_parameters = parameters;
  enter(VOCAB_CM_CALIBRATING, now);
  calibrating_since_ = now.time;
  plan_calibration();
}

// From where the reference is, as fast as it is.
void BoardJoint::plan_calibration() {
  const CalibrationParameters& p = calibration_parameters;
  trajectory_ = p.param2 >= kSlow
                    ? Trajectory::minimum_jerk(q_ref_, trajectory_.velocity(), p.param1, p.param2)
                    : Trajectory(q_ref_);
}

void BoardJoint::set_calibration(const CalibrationParameters& parameters) {
  calibration_parameters = parameters;
  has_calibration = true;
  if (status.mode() == VOCAB_CM_CALIBRATING) {
    plan_calibration();
  }
}

void BoardJoint::set_encoder(double value, const JointMeasurement& now) {
  const double shift = value - now.position;
  zero -= shift;
  q_ref_ += shift;
  target_position += shift;
  ref_position += shift;
  trajectory_.shift(shift);
  if (status.mode() == VOCAB_CM_CALIBRATING) {
    plan_calibration();  // to a place that is a reading
  }
}

BoardJoint::Calibration BoardJoint::calibration(const JointMeasurement& now) {
  const CalibrationParameters& p = calibration_parameters;
  const double tolerance = kCalibrated * (facts.revolute ? 1.0 : 1e-3);
  // A step at least: the status is seen.
  if (now.time > calibrating_since_ && !trajectory_.moving() &&
      (p.param2 < kSlow || within(now.position - p.param1, tolerance))) {
    zero += p.param3;
    return Calibration::Done;
  }
  return now.time - calibrating_since_ > calibration_timeout_ ? Calibration::TimedOut
                                                              : Calibration::Running;
}

double BoardJoint::clamp_position(double position) const {
  const double bounded = limited() ? std::clamp(position, min_position, max_position) : position;
  return std::clamp(bounded, -kFar, kFar);
}

Trajectory BoardJoint::way(double from, double velocity, double to, double speed) const {
  if (!(speed >= kSlow)) {
    return Trajectory(from);
  }
  switch (config.profile) {
    case Profile::MinimumJerk:
      return Trajectory::minimum_jerk(from, velocity, to, speed);
    case Profile::ConstantSpeed:
      return Trajectory::constant_speed(from, to, speed);
    case Profile::Trapezoid:
      break;
  }
  return ref_acceleration >= kSlow
             ? Trajectory::trapezoid(from, velocity, to, speed, ref_acceleration)
             : Trajectory(from);
}

// A motion goes on from its own reference, so that nothing jumps; a joint at rest from where it is.
void BoardJoint::move_to(double target, const JointMeasurement& now) {
  target_position = clamp_position(target);
  const bool in_motion = trajectory_.moving() || speed_ != 0.0;
  q_ref_ = in_motion ? q_ref_ : now.position;
  trajectory_ =
      way(q_ref_, trajectory_.velocity(), target_position, std::min(ref_speed, max_velocity));
  motion_done = false;
}

void BoardJoint::step_to(double target) { q_ref_ = ref_position = clamp_position(target); }

void BoardJoint::set_speed(double speed, double now) {
  ref_velocity = std::clamp(speed, -max_velocity, max_velocity);
  commanded_at_ = now;
}

void BoardJoint::set_direct_speed(double speed, double now) {
  desired_velocity = std::clamp(speed, -max_velocity, max_velocity);
  commanded_at_ = now;
}

void BoardJoint::stop(const JointMeasurement& now) {
  if (status.mode() == VOCAB_CM_VELOCITY || status.mode() == VOCAB_CM_VELOCITY_DIRECT) {
    forget_commands(now);
    speed_ = 0.0;
  } else if (status.follows_position()) {
    hold(now);
    forget_commands(now);
  }
}

int BoardJoint::pid_index(vocab32_t type) {
  constexpr std::array<vocab32_t, 4> kTypes{VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY,
                                            VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT};
  const auto found = std::find(kTypes.begin(), kTypes.end(), type);
  return found == kTypes.end() ? -1 : static_cast<int>(found - kTypes.begin());
}

int BoardJoint::active_pid() const {
  if (follows_velocity()) {
    return 1;
  }
  if (status.follows_position() || status.mode() == VOCAB_CM_CALIBRATING) {
    return 0;
  }
  return status.mode() == VOCAB_CM_TORQUE ? 2 : status.mode() == VOCAB_CM_CURRENT ? 3 : -1;
}

double BoardJoint::pid_reference(int index) const {
  const double references[] = {q_ref_, v_ref_, ref_torque, ref_current};
  return references[index];
}

double BoardJoint::pid_feedback(int index, const JointMeasurement& now) const {
  const double feedback[] = {now.position, now.velocity, now.torque,
                             now.output / config.effort_per_ampere};
  return feedback[index];
}

void BoardJoint::set_pid_reference(double value, double now) {
  switch (active_pid()) {
    case 0:
      q_ref_ = clamp_position(value);
      trajectory_ = Trajectory(q_ref_);
      break;
    case 1:
      if (status.mode() == VOCAB_CM_VELOCITY_DIRECT) {
        set_direct_speed(value, now);
      } else {
        set_speed(value, now);
        speed_ = ref_velocity;
      }
      break;
    case 2:
      ref_torque = value;
      break;
    case 3:
      ref_current = value;
      break;
    default:
      break;
  }
}

// What a joint's motor does in a step: the schemes of figure 2 of the document.

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
