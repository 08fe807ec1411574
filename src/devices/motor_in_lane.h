// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "devices/motor_law.h"
#include "scene/device_spec.h"
#include "servosim/motor.h"

namespace servosim {

/// What a Motor that is no real servo was commanded, while its simulation is in a lane. It takes
/// the commands of a Motor, which is not needed for that.
///
/// Threads: a plain value; it refers to its node.
class MotorInLane {
 public:
  /// The commands that change nothing but one number of a step: the force of force control, or the
  /// target position of the law.
  enum class OneNumber : std::uint8_t { None, Force, Position };

  /// Returns whether a motor can be in a lane: it drives a joint with Physics, alone.
  static bool suits(const Motor& motor);

  MotorInLane() = default;
  explicit MotorInLane(const Motor& motor);
  /// Makes what is to be told of a command, and was not told by this motor, go to these reports,
  /// which several motors of the same node may have.
  void report_to(MotorReports& reports) { reports_ = &reports; }
  /// Makes reports that go to `notices`, and have told nothing.
  static MotorReports reports_of(const Motor& motor, Notices& notices);

  // ---- as of Motor

  MotorLimits limits() const { return limits_of_motor(*spec_); }
  const MotorTargets& targets() const { return targets_; }
  void set_position(double target);
  void set_velocity(double velocity);
  void set_force(double force);

  // ---- for a lane

  /// Returns which command of the kind of the last one changes nothing else, as long as its value
  /// is finite and within the limits of limits(), or of the available force.
  OneNumber one_number() const;
  /// Takes over the number that was changed.
  void set_number(double number) {
    (targets_.force_control ? targets_.force : targets_.position) = number;
  }
  bool follows_law() const { return servosim::follows_law(targets_); }
  /// Returns what it asks of its joint. Of a motor that follows a law, V has no meaning.
  /// @param friction  of the joint [N·m|N]
  JointDrive drive(double friction) const { return drive_of(targets_, 0.0, friction); }
  /// Returns the numbers of the law of a motor.
  static detail::VelocityNumbers<double> law_of(const Motor& motor);
  /// Gives its numbers, and those of its law, to a motor of the same node.
  void write(const detail::VelocityNumbers<double>& law, Motor& to) const;

 private:
  // Calls a function with the reports.
  template <class Use>
  void report(Use use);

  const MotorSpec* spec_ = nullptr;
  MotorReports* reports_ = nullptr;
  unsigned reported_ = 0;  // what the motor has reported
  MotorTargets targets_;
};

}  // namespace servosim
