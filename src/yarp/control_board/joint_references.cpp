// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint_references.h"

#include <algorithm>
#include <cmath>

#include "servosim/velocity_controller.h"

namespace servosim::yarp {

namespace {

Trajectory make_trajectory(double from, double velocity, double to,
                           const JointParameters& parameters) {
  const double speed = std::min(parameters.ref_speed, parameters.max_velocity);
  if (!(speed >= kMinSpeed)) {
    return Trajectory(from);
  }
  const Profile profile = parameters.config.profile;
  if (profile == Profile::MinimumJerk) {
    return Trajectory::minimum_jerk(from, velocity, to, speed);
  }
  if (profile == Profile::ConstantSpeed) {
    return Trajectory::constant_speed(from, to, speed);
  }
  return parameters.ref_acceleration >= kMinSpeed
             ? Trajectory::trapezoid(from, velocity, to, speed, parameters.ref_acceleration)
             : Trajectory(from);
}

// Bounds the speed so that the joint does not pass a limit within the step; beyond a limit it must
// not go further out.
double admitted_speed(double speed, const PositionLimits& limits, double position, double h) {
  return limits.any() ? std::clamp(speed, std::min((limits.min - position) / h, 0.0),
                                   std::max((limits.max - position) / h, 0.0))
                      : speed;
}

}  // namespace

void JointCommands::reset(vocab32_t mode, double present) {
  const bool mixed = mode == VOCAB_CM_MIXED;
  target_position = mixed || mode == VOCAB_CM_POSITION ? present : target_position;
  position = mode == VOCAB_CM_POSITION_DIRECT ? present : position;
  velocity = mixed || mode == VOCAB_CM_VELOCITY ? 0.0 : velocity;
  direct_velocity = mode == VOCAB_CM_VELOCITY_DIRECT ? 0.0 : direct_velocity;
}

void JointReferences::hold(const JointMeasurement& now) {
  trajectory_ = Trajectory(now.position);
  commands.motion_done = true;
  q_ref_ = now.position;
  v_ref_ = speed_ = 0.0;
  commanded_at_ = now.time;
}

// A moving joint continues from its reference, so that nothing jumps. A joint at rest starts at its
// measured position.
void JointReferences::move_to(double target, const JointParameters& parameters,
                              const JointMeasurement& now) {
  commands.target_position = parameters.clamp_position(target);
  const bool in_motion = moving() || speed_ != 0.0;
  q_ref_ = in_motion ? q_ref_ : now.position;
  trajectory_ =
      make_trajectory(q_ref_, trajectory_.velocity(), commands.target_position, parameters);
  commands.motion_done = false;
}

void JointReferences::step_to(double target, const JointParameters& parameters) {
  q_ref_ = commands.position = parameters.clamp_position(target);
}

void JointReferences::set_speed(double JointCommands::*command, double speed,
                                const JointParameters& parameters, double now) {
  commands.*command = std::clamp(speed, -parameters.max_velocity, parameters.max_velocity);
  commanded_at_ = now;
}

void JointReferences::force_position(double position, const JointParameters& parameters) {
  q_ref_ = parameters.clamp_position(position);
  trajectory_ = Trajectory(q_ref_);
}

void JointReferences::force_speed(double speed, const JointParameters& parameters, double now) {
  set_speed(&JointCommands::velocity, speed, parameters, now);
  speed_ = commands.velocity;
}

void JointReferences::plan_calibration(const CalibrationParameters& p) {
  trajectory_ = p.param2 >= kMinSpeed
                    ? Trajectory::minimum_jerk(q_ref_, trajectory_.velocity(), p.param1, p.param2)
                    : Trajectory(q_ref_);
}

void JointReferences::shift(double by) {
  q_ref_ += by;
  commands.target_position += by;
  commands.position += by;
  trajectory_.shift(by);
}

void JointReferences::advance(const JointParameters& parameters, const JointStatus& status,
                              const JointMeasurement& now, double h) {
  const vocab32_t mode = status.mode();
  const bool velocity =
      mode == VOCAB_CM_VELOCITY || mode == VOCAB_CM_MIXED || mode == VOCAB_CM_VELOCITY_DIRECT;
  const bool trajectory = mode == VOCAB_CM_POSITION || mode == VOCAB_CM_CALIBRATING;
  const PositionLimits& limits = parameters.limits;
  double wanted = q_ref_;
  double rate = 0.0;
  if (trajectory || mode == VOCAB_CM_MIXED) {
    const double before = trajectory_.position();
    if (moving()) {
      trajectory_.advance(h);
    }
    commands.motion_done = !moving();
    wanted = trajectory ? trajectory_.position() : wanted + trajectory_.position() - before;
    rate = trajectory_.velocity();
  }
  if (velocity) {
    advance_speed(parameters, mode, now.time, h);
    wanted += speed_ * h;
    rate += speed_;
  }
  if (status.follows_velocity()) {
    q_ref_ = now.position;
    v_ref_ = speed_ = admitted_speed(speed_, limits, now.position, h);
    return;
  }
  v_ref_ = rate;
  if (limits.any() && mode != VOCAB_CM_CALIBRATING) {
    // A reference outside the limits may return, but must not go further out.
    const double bounded =
        std::clamp(wanted, std::min(limits.min, q_ref_), std::max(limits.max, q_ref_));
    if (bounded != wanted) {
      v_ref_ = 0.0;
      // The ramp contains only the motion of the reference. It does not continue at a limit, so a
      // command in the opposite direction has an effect at once.
      const double beyond = wanted - bounded;
      speed_ = beyond * speed_ > 0.0 ? detail::approach(speed_, 0.0, std::abs(beyond) / h) : speed_;
    }
    wanted = bounded;
  }
  q_ref_ = wanted;
}

void JointReferences::advance_speed(const JointParameters& parameters, vocab32_t mode, double now,
                                    double h) {
  if (now - commanded_at_ > parameters.config.velocity_timeout) {
    commands.velocity = commands.direct_velocity = speed_ = 0.0;
  }
  speed_ = mode == VOCAB_CM_VELOCITY_DIRECT
               ? commands.direct_velocity
               : detail::approach(speed_, commands.velocity, parameters.ref_acceleration * h);
}

}  // namespace servosim::yarp
