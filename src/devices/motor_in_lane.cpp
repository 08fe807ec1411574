// SPDX-License-Identifier: Apache-2.0
#include "devices/motor_in_lane.h"

#include "devices/motor_reports.h"

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
      targets_(motor.targets_),
      law_(motor.law_),
      law_before_(motor.law_) {}

void MotorInLane::set_position(double target) {
  take_position(targets_, target, *spec_, nullptr, *reports_);
}
void MotorInLane::set_velocity(double velocity) {
  take_velocity(targets_, velocity, *spec_, *reports_);
}
void MotorInLane::set_force(double force) { take_force(targets_, force, *spec_, false, *reports_); }

JointDrive MotorInLane::drive_by_law(double position, double friction, double h) {
  return targets_.driven ? driven_joint(friction, targets_)
                         : commanded_joint(position, friction, targets_, law_, h);
}

void MotorInLane::write_before_last_step() const {
  motor_->targets_ = targets_;
  motor_->law_ = law_before_;
}

}  // namespace servosim
