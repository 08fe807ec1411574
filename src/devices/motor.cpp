// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/report_once.h"
#include "devices/measuring.h"
#include "physics/state.h"
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

// A finite target stays one, whatever multiplies it: infinite ones mean velocity control.
double finite(double target) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(target, -kMost, kMost);
}

// Whether what was asked is more than a rounding error beyond what is used in its place.
bool is_beyond(double asked, double used) {
  return std::abs(asked - used) > 1e-12 * std::max(1.0, std::abs(used));
}

}  // namespace

Motor::Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices)
    : name_(spec.name),
      owner_(std::move(owner)),
      joint_(joint),
      position_(joint != nullptr ? &joint->shaft_position() : nullptr),
      notices_(notices),
      type_(spec.type),
      max_velocity_(spec.max_velocity),
      max_force_(spec.max_force),
      min_position_(spec.min_position),
      max_position_(spec.max_position),
      multiplier_(spec.multiplier),
      consumption_factor_(spec.consumption_factor),
      state_{joint != nullptr ? joint->position : spec.fixed_position,
             spec.max_velocity,
             spec.acceleration,
             spec.available_force,
             spec.gains,
             false,
             0.0,
             {},
             {},
             true,
             0,
             false,
             {}} {}

void Motor::notice(unsigned kind, const char* what, double asked, double used) {
  if ((state_.noticed & kind) != 0 || !is_beyond(asked, used)) {
    return;
  }
  state_.noticed |= kind;
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

std::optional<double> Motor::position() const {
  return joint_ != nullptr ? std::optional(joint_->position) : std::nullopt;
}

std::vector<Motor*> Motor::siblings() const {
  std::vector<Motor*> others = coupled_ ? *coupled_ : std::vector<Motor*>{};
  std::erase(others, this);
  return others;
}

// To the coupled motors, as it was said to this one.
void Motor::relay(void (Motor::*take)(double), double value) {
  for (Motor* motor : *coupled_) {
    if (motor != this) {
      (motor->*take)(value);
    }
  }
}

void Motor::set_position(double target) {
  refuse_nan(target, "position");
  take_position(target);
  if (coupled_) {
    relay(&Motor::take_position, target);
  }
}

void Motor::take_position(double target) {
  state_.target_position =
      std::isinf(target) ? target : clamp_to_limits(finite(target * multiplier_));
  state_.force_control = state_.driven = false;
  state_.force = 0.0;
  wake();
}

void Motor::set_velocity(double velocity) {
  refuse_nan(velocity, "velocity");
  take_velocity(velocity);
  if (coupled_) {
    relay(&Motor::take_velocity, velocity);
  }
}

void Motor::take_velocity(double velocity) {
  const double wanted = velocity * multiplier_;
  state_.target_velocity = std::clamp(wanted, -max_velocity_, max_velocity_);
  if (state_.target_velocity != wanted) {
    notice(kFast, "velocity beyond maxVelocity:", wanted, state_.target_velocity);
  }
  wake();
}

void Motor::set_acceleration(double acceleration) {
  refuse(std::isnan(acceleration) || (acceleration < 0.0 && acceleration != -1.0), "acceleration",
         acceleration, "-1 or a number >= 0");
  state_.acceleration = acceleration;
  wake();
}

void Motor::set_available_force(double force) {
  refuse(std::isnan(force) || force < 0.0, "available force", force, "a number >= 0");
  const double capped = std::min(force, max_force_);
  state_.available_force = state_.powered ? capped : 0.0;
  if (capped != force && !coupled_) {
    notice(kMaxForce, "available force beyond the maximum:", force, capped);
  }
  wake();
}

void Motor::set_force(double force) {
  refuse_nan(force, "force");
  take_force(force);
  if (coupled_) {
    relay(&Motor::take_force, force);
  }
}

void Motor::take_force(double force) {
  state_.force_control = true;
  state_.driven = false;
  const double wanted = force * multiplier_;
  const double bound = std::max(0.0, state_.available_force);
  state_.force = std::clamp(wanted, -bound, bound);
  if (state_.force != wanted && !coupled_) {
    notice(kForce, "force beyond the available force:", wanted, state_.force);
  }
  wake();
}

void Motor::drive(const JointDrive& drive) {
  refuse(!std::isfinite(drive.velocity), "velocity", drive.velocity, "a finite number");
  refuse(!(drive.max_force >= 0.0), "largest force", drive.max_force, "a number >= 0");
  refuse_nan(drive.force, "force");
  const bool may_be_soft = joint_ == nullptr || joint_->backlash.width == 0.0;
  refuse(!(drive.softness >= 0.0) || std::isinf(drive.softness) ||
             (drive.softness > 0.0 && !may_be_soft),
         "softness", drive.softness,
         may_be_soft ? "a finite number >= 0" : "0, since the joint has backlash");
  if (!state_.driven) {
    state_.law.stop();
    state_.law.clear_errors();
  }
  if (!state_.driven || drive != state_.drive) {
    state_.drive = drive;
    wake();
  }
  state_.driven = true;
  state_.force_control = false;
}

void Motor::set_control_pid(const PidGains& gains) {
  refuse(!(gains.p > 0.0), "P", gains.p, "a number > 0");
  refuse(!(gains.i >= 0.0), "I", gains.i, "a number >= 0");
  refuse(!(gains.d >= 0.0), "D", gains.d, "a number >= 0");
  state_.gains = gains;
  state_.law.clear_errors();
  wake();
}

void Motor::enable_force_feedback(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  if (period_ms > 0 && (joint_ == nullptr || !joint_->has_feedback)) {
    if ((state_.noticed & kFeedback) == 0) {
      state_.noticed |= kFeedback;
      notices_.say(
          fmt::format("robot \"{}\", motor \"{}\": no force feedback, because {}", owner_, name_,
                      propeller_ != nullptr
                          ? "it turns a Propeller"
                          : "the endPoint and the Solid above the joint do not both have Physics"));
    }
    return;
  }
  state_.feedback.enable(period_ms, now_ms);
}

void Motor::before_step(double h) {
  if (joint_ == nullptr) {
    return;
  }
  if (state_.driven) {
    driven_step(h);
  } else if (joint_->dynamic) {
    dynamic_step(h);
  } else {
    kinematic_step(h);
  }
}

void Motor::driven_step(double h) {
  JointDrive wanted = state_.drive;
  const double most = std::max(0.0, state_.available_force);
  wanted.max_force = std::min(wanted.max_force, most);
  wanted.force = std::clamp(wanted.force, -most, most);
  if (!joint_->dynamic) {
    joint_->velocity = wanted.max_force > 0.0 ? wanted.velocity : 0.0;
    joint_->position += joint_->velocity * h;
    return;
  }
  if (wanted.max_force == 0.0) {
    wanted = {0.0, joint_->static_friction, wanted.force, 0.0};
  }
  joint_->drive = wanted;
}

void Motor::dynamic_step(double h) {
  JointState::Drive& drive = joint_->drive;
  if (state_.force_control) {
    drive = {0.0, joint_->static_friction, state_.force, 0.0};
    return;
  }
  if (state_.available_force == 0.0) {
    state_.law.stop();
  } else {
    state_.law.track(state_.target_position, *position_, state_.target_velocity,
                     state_.acceleration, state_.gains, h);
  }
  drive = {state_.law.velocity(), std::max(joint_->static_friction, state_.available_force), 0.0,
           0.0};
}

void Motor::kinematic_step(double h) {
  const double p = joint_->position;
  const bool unpowered_propeller = propeller_ != nullptr && !state_.powered;
  const bool at_rest = std::isinf(state_.target_position)
                           ? min_position_ != max_position_ &&
                                 ((p >= max_position_ && state_.target_velocity >= 0.0) ||
                                  (p <= min_position_ && state_.target_velocity <= 0.0))
                           : std::abs(state_.target_position - p) < 1e-6;
  if (at_rest || unpowered_propeller) {
    state_.law.stop();
    joint_->velocity = 0.0;
    return;
  }
  // Webots takes the number of the available force as the acceleration here.
  const double a = state_.acceleration == -1.0 || state_.acceleration > state_.available_force
                       ? state_.available_force
                       : state_.acceleration;
  joint_->position =
      state_.law.move(state_.target_position, p, state_.target_velocity, std::max(0.0, a), h);
  joint_->velocity = (joint_->position - p) / h;
}

void Motor::after_step(double now_ms) {
  if (state_.feedback.due(now_ms) && state_.powered) {
    state_.feedback.store(joint_->constraint_effort, now_ms);
  }
}

void Motor::set_power(bool on) {
  state_.powered = on;
  state_.available_force = on ? max_force_ : 0.0;
  wake();
}

void Motor::set_state(const State& state) {
  const unsigned noticed = state_.noticed;
  state_ = state;
  state_.noticed |= noticed;
}

// As Webots measures it: nothing where the Solid above the joint has no Physics.
double Motor::feedback_effort() const {
  return joint_ != nullptr && joint_->has_feedback ? joint_->constraint_effort : 0.0;
}

bool Motor::consumes_by_effort() const {
  return consumption_factor_ > 0.0 && joint_ != nullptr && joint_->has_feedback;
}

double Motor::power_consumption() const {
  const double effort = propeller_ != nullptr
                            ? std::abs(propeller_->thrust) + std::abs(propeller_->torque)
                            : std::abs(feedback_effort());
  return effort * consumption_factor_;
}

// Without Physics the law may know a speed only; the joint went where it was told to.
double Motor::commanded_velocity() const {
  const double v = state_.driven ? state_.drive.velocity : state_.law.velocity();
  return state_.driven || joint_ == nullptr || joint_->dynamic || v == 0.0
             ? v
             : std::copysign(v, joint_->velocity);
}

double Motor::muscle_status() const {
  const auto share = [](double value, double most) {
    return most > 0.0 ? std::clamp(value / most, -1.0, 1.0) : 0.0;
  };
  if (joint_ == nullptr) {
    return 0.0;
  }
  if (!joint_->dynamic) {
    return share(commanded_velocity(), max_velocity_);
  }
  if (state_.force_control) {
    return share(state_.force, max_force_);
  }
  // Webots' sign for sliders.
  return share(type_ == JointType::Linear ? -feedback_effort() : feedback_effort(), max_force_);
}

}  // namespace servosim
