// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/assert.h"

namespace servosim::yarp {

namespace {

constexpr double kCalibrationTolerance =
    0.5;  // [deg], or half a millimetre; distance from the position of the calibration

bool within(double value, double limit) { return std::abs(value) <= limit; }

}  // namespace

BoardJoint::BoardJoint(const JointConfig& config, const JointInfo& the_info,
                       const BoardConfig& board, double position)
    : info(the_info),
      status({config.modes, config.compliant && info.soft, board.fault_on_invalid_mode,
              board.fault_on_invalid_interaction, config.pids.direct_velocity},
             VOCAB_CM_NOT_CONFIGURED),
      encoder{the_info.revolute ? std::numbers::pi / 180.0 : 1.0},
      parameters(config, the_info, encoder.unit),
      calibration_timeout_(board.calibration_timeout) {
  hold_position(measured(position, 0.0, 0.0, 0.0));
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
  return {position / encoder.unit - encoder.zero, velocity / encoder.unit, torque, output, time};
}

JointFault BoardJoint::find_fault(const JointMeasurement& now) const {
  if (!within(now.torque, parameters.max_torque)) {
    return {kTorqueFault, "its measured torque is beyond its limit"};
  }
  if (!within(current_at(now), parameters.max_current)) {
    return {kCurrentFault, "over-current"};
  }
  const PositionLimits hard = parameters.hard_limits_at(encoder.zero);
  const double margin = parameters.config.hard_limit_margin;
  if (hard.any() && (now.position > hard.max + margin || now.position < hard.min - margin)) {
    return {kHardLimitFault, "hard limit reached"};
  }
  return {};
}

JointFault BoardJoint::check_faults(const JointMeasurement& now) {
  encoder.store(now);
  const bool ignored =
      status.mode() == VOCAB_CM_HW_FAULT || status.mode() == VOCAB_CM_NOT_CONFIGURED;
  return ignored ? JointFault{} : find_fault(now);
}

void BoardJoint::hold_position(const JointMeasurement& now) {
  references.hold(now);
  references.commands.reset(status.mode(), now.position);
}

void BoardJoint::enter_mode(vocab32_t mode, const JointMeasurement& now) {
  const double output = status.unpowered() ? 0.0 : now.output;
  status.set_mode(mode);
  hold_position(now);
  reset_pid();
  JointCommands& commands = references.commands;
  const int pid = status.active_pid();
  const double carried = pid < 0 ? output : output - parameters.pids[pid].offset;
  if (mode == VOCAB_CM_TORQUE) {
    commands.torque = carried;
  } else if (mode == VOCAB_CM_PWM) {
    commands.pwm =
        std::clamp((output - parameters.pids[0].offset) / parameters.config.effort_per_percent,
                   -parameters.pwm_limit, parameters.pwm_limit);
  } else if (mode == VOCAB_CM_CURRENT) {
    commands.current = carried / parameters.config.effort_per_ampere;
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
  }
}

void BoardJoint::calibrate(const CalibrationParameters& calibration, const JointMeasurement& now) {
  parameters.calibration = calibration;
  enter_mode(VOCAB_CM_CALIBRATING, now);
  calibrating_since_ = now.time;
  references.plan_calibration(parameters.calibration);
}

void BoardJoint::set_calibration(const CalibrationParameters& calibration) {
  parameters.calibration = calibration;
  parameters.has_calibration = true;
  if (status.mode() == VOCAB_CM_CALIBRATING) {
    references.plan_calibration(parameters.calibration);
  }
}

void BoardJoint::set_encoder(double value, const JointMeasurement& now) {
  const double shift = value - now.position;
  encoder.zero -= shift;
  references.shift(shift);
  if (status.mode() == VOCAB_CM_CALIBRATING) {
    references.plan_calibration(parameters.calibration);  // its target is a reading of the encoder
  }
}

BoardJoint::Calibration BoardJoint::calibration(const JointMeasurement& now) {
  const CalibrationParameters& p = parameters.calibration;
  const double tolerance = kCalibrationTolerance * (info.revolute ? 1.0 : 1e-3);
  // The calibration ends in the next step at the earliest, so that clients see the status.
  if (now.time > calibrating_since_ && !references.moving() &&
      (p.param2 < kMinSpeed || within(now.position - p.param1, tolerance))) {
    encoder.zero += p.param3;
    return Calibration::Done;
  }
  return now.time - calibrating_since_ > calibration_timeout_ ? Calibration::TimedOut
                                                              : Calibration::Running;
}

void BoardJoint::stop(const JointMeasurement& now) {
  if (status.mode() == VOCAB_CM_VELOCITY || status.mode() == VOCAB_CM_VELOCITY_DIRECT) {
    references.commands.reset(status.mode(), now.position);
    references.end_speed();
  } else if (status.follows_position()) {
    hold_position(now);
  }
}

double BoardJoint::pid_reference(int index) const {
  const JointCommands& commands = references.commands;
  const double values[] = {references.position(), references.velocity(), commands.torque,
                           commands.current};
  return values[index];
}

double BoardJoint::pid_feedback(int index, const JointMeasurement& now) const {
  const double values[] = {now.position, now.velocity, now.torque, current_at(now)};
  return values[index];
}

void BoardJoint::set_pid_reference(double value, double now) {
  const int active = status.active_pid();
  if (active == 0) {
    references.force_position(value, parameters);
  } else if (active == 1 && status.mode() == VOCAB_CM_VELOCITY_DIRECT) {
    references.set_speed(&JointCommands::direct_velocity, value, parameters, now);
  } else if (active == 1) {
    references.force_speed(value, parameters, now);
  } else if (active == 2) {
    references.commands.torque = value;
  } else if (active == 3) {
    references.commands.current = value;
  }
}

JointDrive BoardJoint::advance(const JointMeasurement& now, double h) {
  references.advance(parameters, status, now, h);
  last_ = control_law(*this, now, h, integral_);
  last_.force = std::clamp(last_.force, -info.max_effort, info.max_effort);
  last_.max_force = std::min(last_.max_force, info.max_effort);
  SERVOSIM_ASSERT(
      !references.moving() || status.follows_position() || status.mode() == VOCAB_CM_CALIBRATING,
      "a trajectory in control mode {}", to_string(status.mode()));
  return last_;
}

}  // namespace servosim::yarp
