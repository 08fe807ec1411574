// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/servo.h"

#include <algorithm>
#include <cmath>

#include "physics/bodies.h"
#include "physics/joints/joint_parts.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// A shaft in the gap has the rotor's inertia, and at least this share of that of the axis: the law
// needs one.
constexpr double kLeastShaft = 1e-6;

// How much of its way back a joint that friction holds goes in a step, and the most of its rate,
// which is that of rounding [rad/s|m/s].
constexpr double kReturn = 0.2;
constexpr double kMaxReturn = 1e-11;
// Friction in ODE asks for this rate and not for 0 [rad/s|m/s]. An arm that comes to rest has rates
// of exactly 0, at which rows at their bounds are degenerate: ODE's solver of complementarity
// problems then gives up with "LCP internal error, s <= 0", and throws the arm. A joint at rest
// stays where its return makes up for this rate, 2e-13 rad away at 16 ms.
constexpr double kNeverZero = 3e-12;
// A joint with less than this is at rest: the law of friction depends on the sign of a rate
// [rad/s|m/s].
constexpr double kAtRest = kMaxReturn + 2.0 * kNeverZero;
// A joint that moves further in a step, and further than kNeverZero moves it, is not at rest yet:
// other joints give way [rad|m].
constexpr double kSettled = 1e-13;
// Friction below this share of its bound holds the joint.
constexpr double kHolding = 1.0 - 1e-9;

double shaft_inertia(const ServoState& servo) {
  return std::max(kLeastShaft * servo.memory.inertia, 1e-3 * servo.numbers.armature);
}

}  // namespace

OdeServo::OdeServo(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
                   const Vec3& axis, JointState& joint, ServoState& servo)
    : joint_(&joint),
      servo_(&servo),
      static_friction_(spec.static_friction),
      armature_(spec.armature),
      bodies_{parent, child} {
  // P, and V before and after a jump; F is the motor's row.
  rows_.joint = create_axis_rows(world, spec.type, parent, child, axis, 3);
}

void OdeServo::before_step(double rate, double h) {
  rows_.acts = rows_.is_solved = is_in_gap_ = false;
  rows_.inertia = 0.0;
  rows_.is_touched = false;
  rate = std::abs(rate) < kAtRest ? 0.0 : rate;
  ServoState& servo = *servo_;
  if (!servo.acts) {  // another drive moves the joint
    servo.forget_load();
    servo.memory.shaft_rate = rate;
    after_step_apart(servo.numbers, servo.reading, rate, h, servo.memory.law);
    return;
  }
  const bool is_free = servo.play > 0.0 && (servo.memory.flank == 0.0 || leaves_flank(rate, h));
  is_free ? step_in_gap(rate, h) : step_with_axis(rate, h);
  // The joint's own friction is part of F, but for that in the gap.
  joint_->drive = {0.0, is_free ? static_friction_ : 0.0, 0.0, 0.0};
}

void OdeServo::step_with_axis(double rate, double h) {
  ServoState& servo = *servo_;
  ServoState::Memory& memory = servo.memory;
  set_servo_step(servo.numbers, servo.command, servo.reading, rate, memory.inertia, h, memory.law,
                 rows_.step, rows_.moves_by_mean);
  if (servo.play > 0.0) {  // it has just arrived at the flank, with its momentum
    rows_.step.passive.force += servo.numbers.armature / h * (memory.shaft_rate - rate);
  }
  rows_.friction = rows_.step.friction + static_friction_;
  rows_.return_rate = kNeverZero;
  if (memory.is_held > 0.5) {
    rows_.return_rate +=
        std::clamp(kReturn / h * (memory.held_at - joint_->position), -kMaxReturn, kMaxReturn);
  }
  rows_.acts = true;
  position_before_ = joint_->position;
  dBodyID const body = bodies_[1] != nullptr ? bodies_[1] : bodies_[0];
  if (!is_awake(body, bodies_[0])) {
    const double push = rows_.step.without_friction(0.0).force + memory.law.load_torque;
    if (std::abs(push) > rows_.friction) {
      joint_->wake = true;
    }
  }
}

// Without the servo the joint would move on at the rate that it had before its force, and the shaft
// by itself; it leaves the flank if it then recedes.
bool OdeServo::leaves_flank(double rate, double h) const {
  const ServoState& servo = *servo_;
  ServoMemory copy = servo.memory.law;
  const double last_rate = copy.rate;
  ServoCommand command = servo.command;
  command.is_apart = 1.0;
  const double own = shaft_inertia(servo);
  const ServoStep step = servo_step(servo.numbers, command, servo.reading, rate, own, h, copy);
  const double shaft = rate_after(step, own, 0.0, h);
  const double axis = rate + (rate - last_rate) - h * servo.memory.force / servo.memory.inertia;
  return servo.memory.flank * (shaft - axis) < 0.0;
}

void OdeServo::step_in_gap(double rate, double h) {
  ServoState& servo = *servo_;
  ServoState::Memory& memory = servo.memory;
  if (memory.flank != 0.0) {
    memory.flank = 0.0;
    memory.shaft_rate = rate;
  }
  ServoCommand command = servo.command;
  command.is_apart = 1.0;
  const double own = shaft_inertia(servo);
  set_servo_step(servo.numbers, command, servo.reading, memory.shaft_rate, own, h, memory.law,
                 rows_.step);
  free_rate_ = rate_after(rows_.step, own, 0.0, h);
  is_in_gap_ = true;
}

bool OdeServo::is_at_work(double rate) const {
  return (rows_.acts || is_in_gap_) && rows_.step.gain > 0.0 &&
         std::abs(is_in_gap_ ? free_rate_ : rate) > kStill;
}

bool OdeServo::needs_inertia() const {
  const bool is_wrong = rows_.is_touched && servo_->numbers.friction.reads_static_load > 0.5;
  return rows_.acts && rows_.is_solved && (!(rows_.inertia > 0.0) || is_wrong);
}

// A body that sleeps keeps what it had: its rate is 0, and the load is that of the last step.
void OdeServo::after_step(double rate, double h) {
  ServoState& servo = *servo_;
  ServoState::Memory& memory = servo.memory;
  rate_after_step_ = rate;
  if (rows_.acts) {
    const bool is_solved = rows_.is_solved;
    memory.force = is_solved ? rows_.force : memory.force;
    if (is_solved && rows_.inertia > 0.0) {  // by the tree solver, whose rates are exact
      memory.inertia = rows_.inertia + armature_;
      memory.is_held = 0.0;
    } else if (is_solved) {
      memory.inertia = given_inertia_;
      const double friction = rows_.force - rows_.step.without_friction(rate).force;
      const bool is_held =
          std::abs(friction) < kHolding * rows_.friction &&
          std::abs(joint_->position - position_before_) < std::max(kSettled, 2.0 * kNeverZero * h);
      memory.held_at = is_held && memory.is_held > 0.5 ? memory.held_at : joint_->position;
      memory.is_held = is_held ? 1.0 : 0.0;
    }
    after_servo_step(servo.numbers, rows_.step, is_solved ? rate : 0.0, memory.force,
                     rows_.is_touched ? given_inertia_ : memory.inertia, h, memory.law);
    memory.shaft_rate = rate;
    memory.shaft = 0.5 * memory.flank * servo.play;
  } else if (is_in_gap_) {
    const double own = shaft_inertia(servo);
    after_servo_step(servo.numbers, rows_.step, free_rate_, 0.0, own, h, memory.law);
    memory.shaft_rate = free_rate_;
    memory.shaft += h * (free_rate_ - rate);
    const double half = 0.5 * servo.play;
    memory.flank = memory.shaft >= half ? 1.0 : memory.shaft <= -half ? -1.0 : 0.0;
    memory.shaft = std::clamp(memory.shaft, -half, half);
  }
}

}  // namespace servosim
