// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "devices/motor_law.h"
#include "scene/device_spec.h"
#include "servosim/motor.h"

namespace servosim {

/// The numbers of a Motor that is no real servo, while its simulation is in a lane: what it was
/// commanded, and its law. It takes the commands of a Motor.
///
/// Threads: a plain value; it refers to its Motor.
class MotorInLane {
 public:
  /// Returns whether a motor can be in a lane: it drives a joint with Physics, alone.
  static bool suits(const Motor& motor);

  MotorInLane() = default;
  explicit MotorInLane(Motor& motor);

  // ---- as of Motor

  MotorLimits limits() const { return limits_of_motor(*spec_); }
  const MotorTargets& targets() const { return targets_; }
  void set_position(double target);
  void set_velocity(double velocity);
  void set_force(double force);

  /// Returns the largest force that change_force() takes [N·m|N]; -1 if another command, or one of
  /// another kind, must come first.
  double most_force() const {
    return targets_.force_control && targets_.given.force && spec_->multiplier == 1.0
               ? std::max(0.0, targets_.available_force)
               : -1.0;
  }
  double force() const { return targets_.force; }
  /// Does what set_force() does of a force of at most most_force(), which changes nothing else. The
  /// law has no part in the next steps.
  void change_force(double force) {
    targets_.force = force;
    law_before_ = law_;
  }

  /// Returns what it asks of its joint in the next step of `h` [s], as Motor::before_step().
  /// @param position  of the joint [rad|m]
  /// @param friction  of the joint [N·m|N]
  JointDrive drive(double position, double friction, double h) {
    law_before_ = law_;
    return targets_.force_control ? force_on_joint(friction, targets_.force)
                                  : drive_by_law(position, friction, h);
  }
  /// Gives its numbers back to the Motor, as they were before the last drive().
  void write_before_last_step() const;

 private:
  JointDrive drive_by_law(double position, double friction, double h);

  // The Motor itself is not touched while it is in a lane, as its memory is rarely in a cache.
  Motor* motor_ = nullptr;
  const MotorSpec* spec_ = nullptr;
  MotorReports* reports_ = nullptr;
  MotorTargets targets_;
  VelocityController law_;
  VelocityController law_before_;
};

}  // namespace servosim
