// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/notices.h"
#include "device/argument.h"
#include "physics/joint_state.h"
#include "scene/scene.h"
#include "servosim/robot.h"

namespace servosim {

namespace {

enum NoticeKind : unsigned {
  kAbove = 1,
  kBelow = 2,
  kFast = 4,
  kForce = 8,
  kMaxForce = 16,
  kFeedback = 32
};

}  // namespace

Motor::Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices)
    : name_(spec.name),
      owner_(std::move(owner)),
      joint_(joint),
      notices_(notices),
      type_(spec.type),
      max_velocity_(spec.max_velocity),
      max_force_(spec.max_force),
      min_position_(spec.min_position),
      max_position_(spec.max_position),
      multiplier_(spec.multiplier),
      target_position_(joint != nullptr ? joint->position : spec.fixed_position),
      target_velocity_(spec.max_velocity),
      acceleration_(spec.acceleration),
      available_force_(spec.available_force),
      gains_(spec.gains) {}

void Motor::notice(unsigned kind, const char* what, double asked, double used) {
  if ((noticed_ & kind) != 0) {
    return;
  }
  noticed_ |= kind;
  notices_.say(fmt::format("robot \"{}\", motor \"{}\": {} {} replaced by {} (said once)", owner_,
                           name_, what, asked, used));
}

void Motor::wake() {
  if (joint_ != nullptr) {
    joint_->wake = true;
  }
}

double Motor::clamp_to_limits(double target) {
  if (min_position_ == max_position_) {
    return target;
  }
  if (target > max_position_) {
    notice(kAbove, "target position above maxPosition:", target, max_position_);
    return max_position_;
  }
  if (target < min_position_) {
    notice(kBelow, "target position below minPosition:", target, min_position_);
    return min_position_;
  }
  return target;
}

void Motor::set_position(double target) {
  refuse_nan(target, "position");
  target_position_ = std::isinf(target) ? target : clamp_to_limits(target * multiplier_);
  force_control_ = false;
  force_ = 0.0;
  wake();
}

void Motor::set_velocity(double velocity) {
  refuse_nan(velocity, "velocity");
  const double wanted = velocity * multiplier_;
  target_velocity_ = std::clamp(wanted, -max_velocity_, max_velocity_);
  if (target_velocity_ != wanted) {
    notice(kFast, "velocity beyond maxVelocity:", wanted, target_velocity_);
  }
  wake();
}

void Motor::set_acceleration(double acceleration) {
  refuse(std::isnan(acceleration) || (acceleration < 0.0 && acceleration != -1.0), "acceleration",
         acceleration, "-1 or a number >= 0");
  acceleration_ = acceleration;
  wake();
}

void Motor::set_available_force(double force) {
  refuse(std::isnan(force) || force < 0.0, "available force", force, "a number >= 0");
  available_force_ = std::min(force, max_force_);
  if (available_force_ != force) {
    notice(kMaxForce, "available force beyond the maximum:", force, available_force_);
  }
  wake();
}

void Motor::set_force(double force) {
  refuse_nan(force, "force");
  force_control_ = true;
  const double wanted = force * multiplier_;
  const double bound = std::max(0.0, available_force_);
  force_ = std::clamp(wanted, -bound, bound);
  if (force_ != wanted) {
    notice(kForce, "force beyond the available force:", wanted, force_);
  }
  wake();
}

void Motor::set_control_pid(const PidGains& gains) {
  refuse(!(gains.p > 0.0), "P", gains.p, "a number > 0");
  refuse(!(gains.i >= 0.0), "I", gains.i, "a number >= 0");
  refuse(!(gains.d >= 0.0), "D", gains.d, "a number >= 0");
  gains_ = gains;
  law_.clear_errors();
  wake();
}

void Motor::enable_force_feedback(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  if (period_ms > 0 && (joint_ == nullptr || !joint_->has_feedback)) {
    if ((noticed_ & kFeedback) == 0) {
      noticed_ |= kFeedback;
      notices_.say(
          fmt::format("robot \"{}\", motor \"{}\": no force feedback, because the endPoint and the "
                      "Solid above the joint do not both have Physics",
                      owner_, name_));
    }
    return;
  }
  feedback_.enable(period_ms, now_ms);
}

void Motor::before_step(double h) {
  if (joint_ == nullptr) {
    return;
  }
  if (joint_->dynamic) {
    dynamic_step(h);
  } else {
    kinematic_step(h);
  }
}

void Motor::dynamic_step(double h) {
  JointState::Drive& drive = joint_->drive;
  if (force_control_) {
    drive = {0.0, joint_->static_friction, force_};
    return;
  }
  if (available_force_ == 0.0) {
    law_.stop();
  } else {
    law_.pursue(target_position_, joint_->position, target_velocity_, acceleration_, gains_, h);
  }
  drive = {law_.velocity(), std::max(joint_->static_friction, available_force_), 0.0};
}

void Motor::kinematic_step(double h) {
  const double p = joint_->position;
  const bool at_rest =
      std::isinf(target_position_)
          ? min_position_ != max_position_ && ((p >= max_position_ && target_velocity_ >= 0.0) ||
                                               (p <= min_position_ && target_velocity_ <= 0.0))
          : std::abs(target_position_ - p) < 1e-6;
  if (at_rest) {
    law_.stop();
    joint_->velocity = 0.0;
    return;
  }
  // Webots takes the number of the available force as the acceleration here.
  const double a =
      acceleration_ == -1.0 || acceleration_ > available_force_ ? available_force_ : acceleration_;
  joint_->position = law_.move(target_position_, p, target_velocity_, std::max(0.0, a), h);
  joint_->velocity = (joint_->position - p) / h;
}

void Motor::after_step(double now_ms) {
  if (feedback_.due(now_ms)) {
    feedback_.store(joint_->constraint_effort, now_ms);
  }
}

}  // namespace servosim
