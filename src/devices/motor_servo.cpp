// SPDX-License-Identifier: Apache-2.0
#include "servosim/motor_servo.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "devices/motor_law.h"
#include "devices/servo_electronics.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/motor.h"

namespace servosim {

namespace {

ServoOrder order_of(const MotorTargets& targets, const MotorSpec& spec) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const ServoFirmware& firmware = spec.servo->firmware;
  ServoOrder order;
  order.gains = targets.gains;
  // As in the registers of servos, 0 is no limit of its own; nor is −1.
  order.acceleration = targets.acceleration > 0.0 ? targets.acceleration : kNone;
  const double limit = std::abs(targets.velocity);
  order.speed = limit < spec.max_velocity ? limit : kNone;
  order.share =
      spec.max_force > 0.0 ? std::min(1.0, targets.available_force / spec.max_force) : 0.0;
  // The torque of a current loop is its current, whatever its bridge could give.
  if (firmware.law == ServoLaw::Current && order.share > 0.0 && firmware.max_current < kNone) {
    order.max_current = order.share * firmware.max_current;
    order.share = 1.0;
  }
  if (targets.force_control) {
    order.mode = ServoOrder::Mode::Force;
    order.value = targets.force;
  } else if (std::isinf(targets.position)) {
    order.mode = ServoOrder::Mode::Velocity;
    order.value = targets.velocity;
  } else {
    order.value = targets.position;
  }
  return order;
}

}  // namespace

MotorServo::MotorServo() = default;
MotorServo::~MotorServo() = default;

const ServoModel* MotorServo::model() const {
  return electronics_ != nullptr ? &electronics_->model() : nullptr;
}

std::optional<ServoReading> MotorServo::reading() const {
  return electronics_ != nullptr ? std::optional(electronics_->reading()) : std::nullopt;
}

void MotorServo::bind(ServoState* state, Random* random) {
  if (state == nullptr) {
    electronics_ = nullptr;
  } else if (electronics_ != nullptr) {
    electronics_->bind(*state, *random);
  } else {
    electronics_ = std::make_unique<ServoElectronics>(*state, *random);
  }
}

PidGains MotorServo::first_gains(const MotorSpec& spec) const {
  if (electronics_ == nullptr) {
    return spec.gains;
  }
  const ServoFirmware& firmware = spec.servo->firmware;
  return {firmware.p, firmware.i, firmware.d};
}

void MotorServo::step(const MotorTargets& targets, const MotorSpec& spec, JointState& joint,
                      double h) {
  if (const ServoOrder* const order = electronics_->taken_over()) {
    electronics_->before_step(*order, joint.position, h);
    joint.drive = {};
  } else if (targets.driven) {
    electronics_->leave_step(joint.position);
    drive_joint(joint, targets, h);
  } else {
    electronics_->before_step(order_of(targets, spec), joint.position, h);
    joint.drive = {};
  }
}

}  // namespace servosim
