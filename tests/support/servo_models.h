// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/servo_model.h"

// Real servos for tests. The numbers of the identified ones are those of Rhoban's BAM.

namespace servosim::test {

/// A servo with these numbers and a P gain [duty/rad].
inline ServoModel servo_of(double kt, double resistance, double armature, double volts,
                           double duty_per_rad) {
  ServoModel model;
  model.name = "test";
  model.drive.torque_constant = kt;
  model.drive.resistance = resistance;
  model.drive.armature = armature;
  model.firmware.p_scale = duty_per_rad;
  model.supply.voltage = volts;
  return model;
}

/// An STS3215 with friction as in the model M1, and a P gain as in its register.
inline ServoModel sts3215(double p) {
  ServoModel model = servo_of(1.21164, 2.67617, 0.028403, 7.4, 0.166);
  model.friction.coulomb = 0.052393;
  model.friction.viscous = 0.059085;
  model.firmware.p = p;
  model.firmware.max_duty = 0.97;
  model.firmware.max_speed = 5.2156;
  return model;
}

/// An XL330-M288 with friction as in the model M1, and a P gain as in its register.
inline ServoModel xl330_m1(double p) {
  ServoModel model = servo_of(0.386696, 4.017129, 0.00181417, 7.5, 0.00287739);
  model.friction.coulomb = 0.0128327;
  model.friction.viscous = 0.00366167;
  model.firmware.p = p;
  return model;
}

/// An XL330-M288 with friction as in the model M6, whose load is the static one.
inline ServoModel xl330_m6(double p) {
  ServoModel model = servo_of(0.366013, 2.811392, 0.00180774, 7.5, 0.00287739);
  ServoFriction& f = model.friction;
  f.coulomb = 0.00477118;
  f.viscous = 0.00535967;
  f.stribeck = 0.00467635;
  f.stribeck_speed = 2.890372;
  f.stribeck_exponent = 8.68326;
  f.motor = 0.266786;
  f.external = 8.5e-6;
  f.motor_stribeck = 1.07e-5;
  f.external_stribeck = 0.0807793;
  f.motor_quadratic = 0.00997247;
  f.external_quadratic = 0.00490257;
  f.load = ServoLoad::Static;
  model.firmware.p = p;
  return model;
}

/// A small hobby servo by its data sheet: 0.16 N·m and 10.5 rad/s at 4.8 V, and its whole duty at
/// 0.05 rad.
inline ServoModel sg90() {
  const double kt = 4.8 / 10.5;
  ServoModel model = servo_of(kt, kt * 4.8 / 0.16, 1e-5, 4.8, 20.0);
  model.friction.coulomb = 0.004;
  return model;
}

/// A drive like a DM-J4310, whose host gives it gains in N·m/rad and N·m·s/rad and whose current
/// has a limit.
inline ServoModel mit_drive(double p, double d) {
  ServoModel model = servo_of(1.09119, 1.7, 0.0018, 24.0, 1.0 / 1.09119);
  model.friction.viscous = 0.03513;
  model.firmware.law = ServoLaw::Current;
  model.firmware.p = p;
  model.firmware.d = d;
  model.firmware.d_scale = model.firmware.p_scale;
  model.firmware.max_current = 6.235;
  return model;
}

/// An eRob80 with a gear of 1:50 and friction as in the model M1.
inline ServoModel erob80() {
  ServoModel model = servo_of(4.5434, 2.50882, 0.336939, 48.0, 1.0);
  model.friction.coulomb = 4.09665;
  model.friction.viscous = 1.29806;
  model.firmware.law = ServoLaw::Current;
  model.firmware.p = 50.0;
  model.firmware.d = 7.07107;
  model.firmware.d_scale = 1.0;
  model.firmware.max_current = 12.0;
  return model;
}

}  // namespace servosim::test
