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

MotorInLane::MotorInLane(const Motor& motor)
    : spec_(motor.spec_), reported_(motor.reports_->reported()), targets_(motor.targets_) {}

MotorReports MotorInLane::reports_of(const Motor& motor, Notices& notices) {
  MotorReports reports(motor.owner(), notices);
  reports.bind(*motor.spec_);
  return reports;
}

template <class Use>
void MotorInLane::report(Use use) {
  reports_->reported() = reported_;
  use(*reports_);
  reported_ = reports_->reported();
}

void MotorInLane::set_position(double target) {
  report([&](MotorReports& to) { take_position(targets_, target, *spec_, nullptr, to); });
}
void MotorInLane::set_velocity(double velocity) {
  report([&](MotorReports& to) { take_velocity(targets_, velocity, *spec_, to); });
}
void MotorInLane::set_force(double force) {
  report([&](MotorReports& to) { take_force(targets_, force, *spec_, false, to); });
}

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

detail::VelocityNumbers<double> MotorInLane::law_of(const Motor& motor) {
  return motor.law_.numbers();
}

void MotorInLane::write(const detail::VelocityNumbers<double>& law, Motor& to) const {
  to.targets_ = targets_;
  to.law_.set_numbers(law);
  to.reports_->reported() = reported_;
}

}  // namespace servosim
