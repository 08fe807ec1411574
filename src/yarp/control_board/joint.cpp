// SPDX-License-Identifier: Apache-2.0
// The modes and commands of a joint; its law is in joint_law.cpp.
#include "yarp/control_board/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

}  // namespace servosim::yarp
