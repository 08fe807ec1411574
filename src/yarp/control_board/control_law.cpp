// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "yarp/control_board/joint.h"

namespace servosim::yarp {

namespace {

struct Step {
  const BoardJoint& joint;
  const JointMeasurement& now;
  double h;  // [s]
};

// Computes k·(rest − q) + d·(rest velocity − q̇) + extra as one implicit row. So `max_effort`
// bounds the sum of all terms, and no gain is too large for the step.
JointDrive spring_damper(const Step& in, double k, double d, double extra, double rest,
                         double rest_velocity, double max_effort) {
  const double unit = in.joint.encoder.unit;
  JointDrive drive = spring_drive(k / unit, d / unit, (rest - in.now.position) * unit,
                                  rest_velocity * unit, max_effort, in.h);
  if (drive.softness == 0.0) {
    return {0.0, 0.0, std::clamp(extra, -max_effort, max_effort), 0.0};
  }
  drive.velocity += extra * drive.softness;
  if (!in.joint.info.soft) {
    drive.softness = 0.0;
  }
  return drive;
}

JointDrive position_spring(const Step& in, double extra, double rest, double rest_velocity) {
  const Pid& pid = in.joint.parameters.pids[0];
  const double scale = std::exp2(-pid.scale);
  return spring_damper(in, pid.kp * scale, pid.kd * scale, extra, rest, rest_velocity,
                       pid.max_output);
}

bool pushes_beyond(double effort, const PositionLimits& limits, const JointMeasurement& now) {
  return limits.any() && ((now.position > limits.max && effort > 0.0) ||
                          (now.position < limits.min && effort < 0.0));
}

JointDrive hold_at_limit(const Step& in, const PositionLimits& limits) {
  return position_spring(in, 0.0, std::clamp(in.now.position, limits.min, limits.max), 0.0);
}

// If the joint is beyond a limit and the effort leads further out, the drive holds the joint at
// that limit instead.
JointDrive effort_within_limits(const Step& in, double effort, const PositionLimits& limits) {
  return pushes_beyond(effort, limits, in.now) ? hold_at_limit(in, limits)
                                               : JointDrive{0.0, 0.0, effort, 0.0};
}

// Applies the offset and the bound of a Pid to an effort; the other fields have no effect.
double bounded(double effort, const Pid& pid) {
  return std::clamp(effort + pid.offset, -pid.max_output, pid.max_output);
}

// Returns the effort of a Pid without its kp and kd terms.
double extra_effort(const Step& in, const Pid& pid, double error, double& integral) {
  const double gained = pid.ki * std::exp2(-pid.scale) * error * in.h;
  integral = std::clamp(integral + gained, -pid.max_int, pid.max_int);
  const double up = error > 0.0 ? pid.stiction_up_val : 0.0;
  const double down = error < 0.0 ? pid.stiction_down_val : 0.0;
  return integral + pid.kff * in.joint.references.velocity() + pid.offset + (up - down);
}

JointDrive position_law(const Step& in, double& integral) {
  const double q_ref = in.joint.references.position();
  const double extra =
      extra_effort(in, in.joint.parameters.pids[0], q_ref - in.now.position, integral);
  return position_spring(in, extra, q_ref, in.joint.references.velocity());
}

// The proportional term acts as a damper.
JointDrive velocity_law(const Step& in, double& integral) {
  const Pid& pid = in.joint.parameters.pids[1];
  const double v_ref = in.joint.references.velocity();
  const double extra = extra_effort(in, pid, v_ref - in.now.velocity, integral);
  return spring_damper(in, 0.0, pid.kp * std::exp2(-pid.scale), extra, 0.0, v_ref, pid.max_output);
}

// The damper acts on the joint's own velocity, not on the difference from the reference's velocity.
JointDrive impedance_law(const Step& in) {
  const double stiffness = in.joint.parameters.stiffness;
  const double damping = in.joint.parameters.damping;
  const PositionLimits& limits = in.joint.parameters.limits;
  const double q_ref = in.joint.references.position();
  const double extra = in.joint.parameters.impedance_offset + in.joint.parameters.pids[0].offset;
  const double effort = stiffness * (q_ref - in.now.position) - damping * in.now.velocity + extra;
  if (pushes_beyond(effort, limits, in.now)) {
    return hold_at_limit(in, limits);
  }
  return spring_damper(in, stiffness, damping, extra, q_ref, 0.0, in.joint.info.max_effort);
}

}  // namespace

JointDrive control_law(const BoardJoint& joint, const JointMeasurement& now, double h,
                       double& integral) {
  const Step in{joint, now, h};
  const JointParameters& parameters = joint.parameters;
  const JointCommands& commands = joint.references.commands;
  const vocab32_t mode = joint.status.mode();
  if (joint.status.unpowered()) {
    return {};
  }
  if (mode == VOCAB_CM_TORQUE) {
    return effort_within_limits(in, bounded(commands.torque, parameters.pids[2]),
                                parameters.limits);
  }
  const PositionLimits hard = parameters.hard_limits_at(joint.encoder.zero);
  if (mode == VOCAB_CM_PWM) {
    const double effort =
        parameters.config.effort_per_percent * commands.pwm + parameters.pids[0].offset;
    return effort_within_limits(in, effort, hard);
  }
  if (mode == VOCAB_CM_CURRENT) {
    const double effort =
        bounded(parameters.config.effort_per_ampere * commands.current, parameters.pids[3]);
    return effort_within_limits(in, effort, hard);
  }
  if (joint.status.follows_velocity()) {
    return velocity_law(in, integral);
  }
  return joint.status.compliant() && joint.status.follows_position() ? impedance_law(in)
                                                                     : position_law(in, integral);
}

}  // namespace servosim::yarp
