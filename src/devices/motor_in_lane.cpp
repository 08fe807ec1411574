// SPDX-License-Identifier: Apache-2.0
#include "devices/motor_in_lane.h"

#include "devices/motor_reports.h"
#include "physics/state.h"

namespace servosim {

bool MotorInLane::suits(const Motor& motor) {
  return motor.joint_ != nullptr && motor.joint_->dynamic && motor.propeller_ == nullptr &&
         motor.coupled_ == nullptr && motor.servo_.electronics() == nullptr &&
         motor.joint_->backlash.width == 0.0;
}

MotorInLane::MotorInLane(Motor& motor)
    : motor_(&motor),
      spec_(motor.spec_),
      reports_(motor.reports_.get()),
      targets_(motor.targets_) {}

void MotorInLane::set_position(double target) {
  take_position(targets_, target, *spec_, nullptr, *reports_);
}
void MotorInLane::set_velocity(double velocity) {
  take_velocity(targets_, velocity, *spec_, *reports_);
}
void MotorInLane::set_force(double force) { take_force(targets_, force, *spec_, false, *reports_); }

MotorInLane::OneNumber MotorInLane::one_number() const {
  if (spec_->multiplier != 1.0) {
    return OneNumber::None;
  }
  if (targets_.force_control) {
    return targets_.given.force ? OneNumber::Force : OneNumber::None;
  }
  return follows_law() && targets_.given.position && targets_.force == 0.0 ? OneNumber::Position
                                                                           : OneNumber::None;
}

detail::VelocityNumbers<double> MotorInLane::law_of_motor() const { return motor_->law_.numbers(); }

void MotorInLane::write(const detail::VelocityNumbers<double>& law) const {
  motor_->targets_ = targets_;
  motor_->law_.set_numbers(law);
}

}  // namespace servosim
