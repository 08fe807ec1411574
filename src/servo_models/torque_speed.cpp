// SPDX-License-Identifier: Apache-2.0
#include "servo_models/torque_speed.h"

#include <algorithm>
#include <cmath>

namespace servosim {

// With τ_m from the motor and a load −T, the law of ServoFriction at a constant speed is
//
//     T·(1 + K_e + S·K_es) + S·K_eq·T² = τ_m·(1 − K_m − S·K_ms) − K_c − S·K_cs − b·ω.
ServoOutput output_at(const ServoModel& servo, double speed) {
  const ServoDrive& drive = servo.drive;
  const ServoFriction& friction = servo.friction;
  const double duty = servo.firmware.max_duty;
  // The supply sags by R_s·duty·i, see ServoSupply.
  const double resistance = drive.resistance + servo.supply.resistance * duty * duty;
  double current = (servo.supply.voltage * duty - drive.torque_constant * speed) / resistance;
  const double least = servo.supply.min_voltage;
  if (servo.supply.voltage - servo.supply.resistance * duty * current < least) {
    current = (least * duty - drive.torque_constant * speed) / drive.resistance;
  }
  current = std::clamp(current, -servo.firmware.max_current, servo.firmware.max_current);
  if (const double most = servo.firmware.max_supply_current; std::isfinite(most)) {
    // At the limit duty·i is `most`, and the supply has sagged by R_s·most.
    const double volts = std::max(servo.supply.voltage - servo.supply.resistance * most, least);
    const double back = drive.torque_constant * speed;
    const double root = std::sqrt(back * back + 4.0 * drive.resistance * volts * most);
    current = std::min(current, 0.5 * (root - back) / drive.resistance);
  }
  const double motor = drive.torque_constant * current;
  const double s = std::exp(-std::pow(speed / friction.stribeck_speed, friction.stribeck_exponent));
  const double left = motor * (1.0 - friction.motor - s * friction.motor_stribeck) -
                      friction.coulomb - s * friction.stribeck - friction.viscous * speed;
  const double linear = 1.0 + friction.external + s * friction.external_stribeck;
  const double square = s * friction.external_quadratic;
  const double torque =
      left > 0.0 && square > 0.0
          ? 2.0 * left / (linear + std::sqrt(linear * linear + 4.0 * square * left))
          : left / linear;
  return {torque, current};
}

double no_load_speed(const ServoModel& servo) {
  double low = 0.0;
  double high = servo.supply.voltage / servo.drive.torque_constant;
  if (output_at(servo, 0.0).torque <= 0.0) {
    return 0.0;
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (output_at(servo, middle).torque > 0.0 ? low : high) = middle;
  }
  return low;
}

}  // namespace servosim
