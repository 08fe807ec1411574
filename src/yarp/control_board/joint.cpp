// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.h"
#include "servosim/velocity_controller.h"

namespace servosim::yarp {

namespace {

constexpr double kMaxPosition =
    1e9;  // [deg|m]; bounds references so that sums of them are exact enough
constexpr double kMinSpeed =
    1e-9;  // [deg/s|m/s]; slower motions do not count, since their duration would overflow

constexpr double kDefaultMaxTorque = 2000.0;  // [N·m|N]; a larger measured effort is a fault
constexpr double kPositionLoopTime = 0.05;    // [s] time constant of the default position loop
constexpr double kImpedanceTime = 0.1;  // [s] ratio of damper to spring of the default impedance
constexpr double kCalibrationTolerance =
    0.5;  // [deg], or half a millimetre; distance from the position of the calibration

double gain(double effort, double bend) { return std::min(effort / bend, kMaxParameter); }

Pid default_position_pid(const JointInfo& info) {
  Pid pid;
  pid.kp = gain(info.max_effort, info.revolute ? 0.1 : 1e-4);
  pid.kd = kPositionLoopTime * pid.kp;
  pid.max_int = pid.max_output = info.max_effort;
  return pid;
}

Pid default_velocity_pid(const JointInfo& info) {
  Pid pid;
  pid.kp = gain(info.max_effort, info.revolute ? 1.0 : 1e-3);
  pid.max_int = pid.max_output = info.max_effort;
  return pid;
}

Pid default_effort_pid(const JointInfo& info) {
  Pid pid;
  pid.max_output = info.max_effort;
  return pid;
}

JointStatus::Rules rules(const JointConfig& config, const JointInfo& info,
                         const BoardConfig& board) {
  return {config.modes, config.compliant && info.soft, board.fault_on_invalid_mode,
          board.fault_on_invalid_interaction};
}

bool within(double value, double limit) { return std::abs(value) <= limit; }

}  // namespace

BoardJoint::BoardJoint(const JointConfig& the_config, const JointInfo& the_info,
                       const BoardConfig& board, double position)
    : config(the_config),
      info(the_info),
      status(rules(the_config, the_info, board), VOCAB_CM_NOT_CONFIGURED),
      unit_(the_info.revolute ? std::numbers::pi / 180.0 : 1.0),
      calibration_timeout_(board.calibration_timeout),
      pids_{config.position_pid.value_or(default_position_pid(info)),
            config.velocity_pid.value_or(default_velocity_pid(info)),
            config.torque_pid.value_or(default_effort_pid(info)),
            config.current_pid.value_or(default_effort_pid(info))} {
  const double usual = info.revolute ? 10.0 : 0.01;
  max_velocity = config.max_velocity.value_or(info.max_velocity / unit_);
  ref_speed = config.ref_speed.value_or(std::min(usual, max_velocity));
  ref_acceleration = config.ref_acceleration.value_or(usual);
  min_position = config.min_position.value_or(info.min_position / unit_);
  max_position = config.max_position.value_or(info.max_position / unit_);
  hard_min_ = info.min_position < info.max_position ? info.min_position / unit_ : min_position;
  hard_max_ = info.min_position < info.max_position ? info.max_position / unit_ : max_position;
  stiffness = config.stiffness.value_or(gain(info.max_effort, info.revolute ? 50.0 : 0.05));
  damping = config.damping.value_or(kImpedanceTime * stiffness);
  max_current = nominal_current = peak_current = config.max_current;
  max_torque_ = config.max_torque.value_or(std::max(kDefaultMaxTorque, 2.0 * info.max_effort));
  has_calibration = config.calibration.has_value();
  calibration_parameters = config.calibration.value_or(CalibrationParameters{});
  const JointMeasurement now = measured(position, 0.0, 0.0, 0.0);
  hold_position(now);
  reset_commands(now);
}

JointMeasurement BoardJoint::measured(double position, double velocity, double torque,
                                      double time) const {
  // The effort of a soft row follows from its law; the effort of a rigid row is measured at the
  // joint.
  double output = last_.force;
  if (last_.softness > 0.0) {
    output +=
        std::clamp((last_.velocity - velocity) / last_.softness, -last_.max_force, last_.max_force);
  } else if (last_.max_force > 0.0) {
    output = torque;
  }
  return {position / unit_ - encoder_zero, velocity / unit_, torque, output, time};
}

JointFault BoardJoint::find_fault(const JointMeasurement& now) const {
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

JointFault BoardJoint::check_faults(const JointMeasurement& now) {
  if (now.time > measured_time) {
    acceleration = (now.velocity - measured_velocity) / (now.time - measured_time);
  }
  measured_time = now.time;
  measured_velocity = now.velocity;
  const bool ignored =
      status.mode() == VOCAB_CM_HW_FAULT || status.mode() == VOCAB_CM_NOT_CONFIGURED;
  return ignored ? JointFault{} : find_fault(now);
}

void BoardJoint::hold_position(const JointMeasurement& now) {
  trajectory_ = Trajectory(now.position);
  motion_done = true;
  q_ref_ = now.position;
  v_ref_ = speed_ = 0.0;
  commanded_at_ = now.time;
}

void BoardJoint::reset_commands(const JointMeasurement& now) {
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

void BoardJoint::enter_mode(vocab32_t mode, const JointMeasurement& now) {
  const double output = status.unpowered() ? 0.0 : now.output;
  status.set_mode(mode);
  hold_position(now);
  reset_pid();
  reset_commands(now);
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

void BoardJoint::set_interaction(vocab32_t interaction, const JointMeasurement& now) {
  if (interaction == status.interaction()) {
    return;
  }
  status.set_interaction(interaction);
  if (status.follows_position()) {
    hold_position(now);
    reset_pid();
    reset_commands(now);
  }
}

void BoardJoint::calibrate(const CalibrationParameters& parameters, const JointMeasurement& now) {
  calibration_parameters = parameters;
  enter_mode(VOCAB_CM_CALIBRATING, now);
  calibrating_since_ = now.time;
  plan_calibration();
}

// The motion starts at the present reference with its velocity.
void BoardJoint::plan_calibration() {
  const CalibrationParameters& p = calibration_parameters;
  trajectory_ = p.param2 >= kMinSpeed
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
  encoder_zero -= shift;
  q_ref_ += shift;
  target_position += shift;
  ref_position += shift;
  trajectory_.shift(shift);
  if (status.mode() == VOCAB_CM_CALIBRATING) {
    plan_calibration();  // the target is a reading of the encoder, which has changed
  }
}

BoardJoint::Calibration BoardJoint::calibration(const JointMeasurement& now) {
  const CalibrationParameters& p = calibration_parameters;
  const double tolerance = kCalibrationTolerance * (info.revolute ? 1.0 : 1e-3);
  // The calibration ends in the next step at the earliest, so that clients see the status.
  if (now.time > calibrating_since_ && !trajectory_.moving() &&
      (p.param2 < kMinSpeed || within(now.position - p.param1, tolerance))) {
    encoder_zero += p.param3;
    return Calibration::Done;
  }
  return now.time - calibrating_since_ > calibration_timeout_ ? Calibration::TimedOut
                                                              : Calibration::Running;
}

double BoardJoint::clamp_position(double position) const {
  const double bounded = limited() ? std::clamp(position, min_position, max_position) : position;
  return std::clamp(bounded, -kMaxPosition, kMaxPosition);
}

Trajectory BoardJoint::make_trajectory(double from, double velocity, double to,
                                       double speed) const {
  if (!(speed >= kMinSpeed)) {
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
  return ref_acceleration >= kMinSpeed
             ? Trajectory::trapezoid(from, velocity, to, speed, ref_acceleration)
             : Trajectory(from);
}

// A moving joint continues from its reference, so that nothing jumps. A joint at rest starts at its
// measured position.
void BoardJoint::move_to(double target, const JointMeasurement& now) {
  target_position = clamp_position(target);
  const bool in_motion = trajectory_.moving() || speed_ != 0.0;
  q_ref_ = in_motion ? q_ref_ : now.position;
  trajectory_ = make_trajectory(q_ref_, trajectory_.velocity(), target_position,
                                std::min(ref_speed, max_velocity));
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
    reset_commands(now);
    speed_ = 0.0;
  } else if (status.follows_position()) {
    hold_position(now);
    reset_commands(now);
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

// The control law of a step. It implements figure 2 of "Control modes and interaction modes of
// YARPdev", version 1.1.

namespace {

// Applies the offset and the bound of a Pid to an effort; the other fields have no effect.
double bounded(double effort, const Pid& pid) {
  return std::clamp(effort + pid.offset, -pid.max_output, pid.max_output);
}

}  // namespace

JointDrive BoardJoint::advance(const JointMeasurement& now, double h) {
  advance_reference(now, h);
  last_ = control_law(now, h);
  last_.force = std::clamp(last_.force, -info.max_effort, info.max_effort);
  last_.max_force = std::min(last_.max_force, info.max_effort);
  SERVOSIM_ASSERT(
      !trajectory_.moving() || status.follows_position() || status.mode() == VOCAB_CM_CALIBRATING,
      "a trajectory in control mode {}", to_string(status.mode()));
  return last_;
}

// Advances to the end of the step, since the control law is implicit.
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
    v_ref_ = speed_ = admitted_speed(speed_, now, h);
    return;
  }
  v_ref_ = rate;
  if (limited() && mode != VOCAB_CM_CALIBRATING) {
    // A reference outside the limits may return, but must not go further out.
    const double bounded =
        std::clamp(wanted, std::min(min_position, q_ref_), std::max(max_position, q_ref_));
    if (bounded != wanted) {
      v_ref_ = 0.0;
      unwind(wanted - bounded, h);
    }
    wanted = bounded;
  }
  q_ref_ = wanted;
}

// The ramp contains only the motion of the reference. It does not continue at a limit, so a command
// in the opposite direction has an effect at once.
void BoardJoint::unwind(double beyond, double h) {
  if (beyond * speed_ > 0.0) {
    speed_ = detail::approach(speed_, 0.0, std::abs(beyond) / h);
  }
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

// Bounds the speed so that the joint does not pass a limit within the step; beyond a limit it must
// not go further out.
double BoardJoint::admitted_speed(double speed, const JointMeasurement& now, double h) const {
  return limited() ? std::clamp(speed, std::min((min_position - now.position) / h, 0.0),
                                std::max((max_position - now.position) / h, 0.0))
                   : speed;
}

JointDrive BoardJoint::control_law(const JointMeasurement& now, double h) {
  if (status.unpowered()) {
    return {};
  }
  if (status.mode() == VOCAB_CM_TORQUE) {
    return torque_law(now, h);
  }
  if (status.mode() == VOCAB_CM_PWM) {
    const double effort = config.effort_per_percent * ref_pwm + pids_[0].offset;
    return effort_within_limits(effort, hard_limits(), now, h);
  }
  if (status.mode() == VOCAB_CM_CURRENT) {
    const double effort = bounded(config.effort_per_ampere * ref_current, pids_[3]);
    return effort_within_limits(effort, hard_limits(), now, h);
  }
  if (follows_velocity()) {
    return velocity_law(now, h);
  }
  return status.compliant() && status.follows_position() ? impedance_law(now, h)
                                                         : position_law(now, h);
}

JointDrive BoardJoint::position_law(const JointMeasurement& now, double h) {
  const Pid& pid = pids_[0];
  const double scale = std::exp2(-pid.scale);
  const double extra = extra_effort(pid, q_ref_ - now.position, h);
  return spring_damper(pid.kp * scale, pid.kd * scale, extra, q_ref_, v_ref_, pid.max_output, now,
                       h);
}

// The proportional term acts as a damper.
JointDrive BoardJoint::velocity_law(const JointMeasurement& now, double h) {
  const Pid& pid = pids_[1];
  const double extra = extra_effort(pid, v_ref_ - now.velocity, h);
  return spring_damper(0.0, pid.kp * std::exp2(-pid.scale), extra, 0.0, v_ref_, pid.max_output, now,
                       h);
}

double BoardJoint::extra_effort(const Pid& pid, double error, double h) {
  const double gained = pid.ki * std::exp2(-pid.scale) * error * h;
  integral_ = std::clamp(integral_ + gained, -pid.max_int, pid.max_int);
  const double up = error > 0.0 ? pid.stiction_up_val : 0.0;
  const double down = error < 0.0 ? pid.stiction_down_val : 0.0;
  return integral_ + pid.kff * v_ref_ + pid.offset + (up - down);
}

// The damper acts on the joint's own velocity, not on the difference from the reference's velocity.
JointDrive BoardJoint::impedance_law(const JointMeasurement& now, double h) const {
  const double extra = impedance_offset + pids_[0].offset;
  const double effort = stiffness * (q_ref_ - now.position) - damping * now.velocity + extra;
  if (pushes_beyond(effort, limits(), now)) {
    return hold_at_limit(limits(), now, h);
  }
  return spring_damper(stiffness, damping, extra, q_ref_, 0.0, info.max_effort, now, h);
}

JointDrive BoardJoint::torque_law(const JointMeasurement& now, double h) const {
  return effort_within_limits(bounded(ref_torque, pids_[2]), limits(), now, h);
}

JointDrive BoardJoint::effort_within_limits(double effort, const Limits& limits,
                                            const JointMeasurement& now, double h) const {
  return pushes_beyond(effort, limits, now) ? hold_at_limit(limits, now, h)
                                            : JointDrive{0.0, 0.0, effort, 0.0};
}

bool BoardJoint::pushes_beyond(double effort, const Limits& limits, const JointMeasurement& now) {
  return limits.any() && ((now.position > limits.max && effort > 0.0) ||
                          (now.position < limits.min && effort < 0.0));
}

JointDrive BoardJoint::hold_at_limit(const Limits& limits, const JointMeasurement& now,
                                     double h) const {
  const Pid& pid = pids_[0];
  const double scale = std::exp2(-pid.scale);
  return spring_damper(pid.kp * scale, pid.kd * scale, 0.0,
                       std::clamp(now.position, limits.min, limits.max), 0.0, pid.max_output, now,
                       h);
}

// Computes k·(rest − q) + d·(rest velocity − q̇) + extra as one implicit row. So `max_effort`
// bounds the sum of all terms, and no gain is too large for the step.
JointDrive BoardJoint::spring_damper(double k, double d, double extra, double rest,
                                     double rest_velocity, double max_effort,
                                     const JointMeasurement& now, double h) const {
  JointDrive drive = spring_drive(k / unit_, d / unit_, (rest - now.position) * unit_,
                                  rest_velocity * unit_, max_effort, h);
  if (drive.softness == 0.0) {
    return {0.0, 0.0, std::clamp(extra, -max_effort, max_effort), 0.0};
  }
  drive.velocity += extra * drive.softness;
  if (!info.soft) {
    drive.softness = 0.0;
  }
  return drive;
}

}  // namespace servosim::yarp
