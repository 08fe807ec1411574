// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "servosim/servo_model.h"

// What the law of a servo reads and remembers; servo_law.h has the law and its symbols. All numbers
// are those of the output shaft, as single numbers or lanes of them.

namespace servosim {

/// The friction of a gear, as single numbers or lanes of them.
template <class Real>
struct FrictionNumbersOf {
  Real viscous{};             ///< k_v [N·m·s/rad]
  Real coulomb{};             ///< K_c [N·m]
  Real motor{};               ///< K_m
  Real external{};            ///< K_e
  Real stribeck{};            ///< K_cs [N·m]
  Real motor_stribeck{};      ///< K_ms
  Real external_stribeck{};   ///< K_es
  Real motor_quadratic{};     ///< K_mq [1/(N·m)]
  Real external_quadratic{};  ///< K_eq [1/(N·m)]
  Real stribeck_speed{};      ///< [rad/s]
  Real stribeck_exponent{};
  Real reads_static_load{};  ///< whether τ_e is ServoLoad::Static
};

/// The heat of a motor and its case, as single numbers or lanes of them.
template <class Real>
struct ThermalNumbersOf {
  Real cold{};                 ///< [°C]
  Real per_kelvin{};           ///< R grows by this share of cold_resistance [1/K]
  Real winding_capacity{};     ///< [J/K]; 0: no heat
  Real winding_conductance{};  ///< to the case [W/K]
  Real case_capacity{};        ///< [J/K]; 0: no heat
  Real case_conductance{};     ///< to the air [W/K]
  Real ambient{};              ///< [°C]
};

/// The limits at which the firmware ends the torque, as single numbers or lanes of them.
template <class Real>
struct ProtectionNumbersOf {
  Real max_temperature{};  ///< of the case [°C]
  Real min_voltage{};      ///< [V]
  Real max_voltage{};      ///< [V]
  Real overload_duty{};
  Real overload_time{};  ///< [s]
  Real overload_rest{};  ///< 0: an overload ends the torque
};

/// The numbers of a servo that the law reads, as single numbers or lanes of them. Flags are 0 or 1.
template <class Real>
struct ServoNumbersOf {
  Real kt{};               ///< [N·m/A]; > 0
  Real cold_resistance{};  ///< R at thermal.cold [Ω]; > 0
  Real inductance{};       ///< L [H]
  Real armature{};         ///< J_a [kg·m²]
  FrictionNumbersOf<Real> friction{};
  Real has_current_loop{};  ///< whether the firmware's output is a current
  Real dead_zone{};         ///< [rad]
  Real punch{};
  Real max_duty{};            ///< of the model, where a compliant loop ends
  Real max_supply_current{};  ///< [A]
  Real compliance_slope{};    ///< [rad]; 0: the loop is p, i and d
  Real period{};              ///< [s]
  ThermalNumbersOf<Real> thermal{};
  ProtectionNumbersOf<Real> protection{};
};
using ServoNumbers = ServoNumbersOf<double>;

/// Returns the numbers of a model that check() accepts.
inline ServoNumbers numbers_of(const ServoModel& model) {
  const auto conductance = [](double resistance) { return 1.0 / std::fmax(resistance, 1e-9); };
  ServoNumbers n;
  n.kt = model.drive.torque_constant;
  n.cold_resistance = model.drive.resistance;
  n.inductance = model.drive.inductance;
  n.armature = model.drive.armature;
  const ServoFriction& friction = model.friction;
  n.friction.viscous = friction.viscous;
  n.friction.coulomb = friction.coulomb;
  n.friction.motor = friction.motor;
  n.friction.external = friction.external;
  n.friction.stribeck = friction.stribeck;
  n.friction.motor_stribeck = friction.motor_stribeck;
  n.friction.external_stribeck = friction.external_stribeck;
  n.friction.motor_quadratic = friction.motor_quadratic;
  n.friction.external_quadratic = friction.external_quadratic;
  n.friction.stribeck_speed = friction.stribeck_speed;
  n.friction.stribeck_exponent = friction.stribeck_exponent;
  n.friction.reads_static_load = friction.load == ServoLoad::Static ? 1.0 : 0.0;
  const ServoFirmware& firmware = model.firmware;
  n.has_current_loop = firmware.law == ServoLaw::Current ? 1.0 : 0.0;
  n.dead_zone = firmware.dead_zone;
  n.punch = firmware.punch;
  n.max_duty = firmware.max_duty;
  n.max_supply_current = firmware.max_supply_current;
  n.compliance_slope = firmware.compliance_slope;
  n.period = firmware.period;
  const ServoThermal& thermal = model.thermal;
  n.thermal.cold = thermal.reference_temperature;
  n.thermal.per_kelvin = thermal.resistance_per_kelvin;
  n.thermal.winding_capacity = thermal.winding_capacity;
  n.thermal.winding_conductance = conductance(thermal.winding_resistance);
  n.thermal.case_capacity = thermal.case_capacity;
  n.thermal.case_conductance = conductance(thermal.case_resistance);
  n.thermal.ambient = thermal.ambient;
  const ServoProtection& protection = model.protection;
  n.protection.max_temperature = protection.max_temperature;
  n.protection.min_voltage = protection.min_voltage;
  n.protection.max_voltage = protection.max_voltage;
  n.protection.overload_duty = protection.overload_duty;
  n.protection.overload_time = protection.overload_time;
  n.protection.overload_rest = protection.overload_rest;
  return n;
}

/// What the firmware is told for the next step, in the units of its output: the duty, or A of one
/// with a current loop.
template <class Real>
struct ServoCommandOf {
  Real is_on{};       ///< 0: no torque
  Real goal{};        ///< [rad]
  Real p{};           ///< [output/rad]
  Real i{};           ///< [output/(rad·s)]
  Real d{};           ///< [output/(rad/s)]
  Real output{};      ///< in addition to that of the position loop
  Real is_current{};  ///< `output` is a current, whatever the firmware's own output is, and alone
  Real max_duty{};
  Real max_current{};       ///< [A]
  Real max_speed{};         ///< of the profile [rad/s]
  Real max_acceleration{};  ///< of the profile [rad/s²]
  Real volts{};             ///< U [V]
  /// The shaft is between the flanks of its gear: no encoder sees it move.
  Real is_apart{};
};
using ServoCommand = ServoCommandOf<double>;

/// Returns a gain in the units of the firmware's output. A gain of more than 1e100 is not different
/// from an infinite one, and would overflow.
inline double servo_gain(double in_register, double scale) {
  return std::fmin(in_register * scale, 1e100);
}

/// Returns the command that the firmware of a model follows by itself: it holds `goal`, with the
/// supply unloaded.
inline ServoCommand command_of(const ServoModel& model, double goal) {
  const ServoFirmware& f = model.firmware;
  ServoCommand command;
  command.is_on = 1.0;
  command.goal = goal;
  command.p = servo_gain(f.p, f.p_scale);
  command.i = servo_gain(f.i, f.i_scale);
  command.d = servo_gain(f.d, f.d_scale);
  command.max_duty = f.max_duty;
  command.max_current = f.max_current;
  command.max_speed = f.max_speed;
  command.max_acceleration = f.max_acceleration;
  command.volts = model.supply.voltage;
  return command;
}

/// What a servo remembers from step to step.
template <class Real>
struct ServoMemoryOf {
  Real target{};        ///< θ_d behind the profile [rad]
  Real target_rate{};   ///< of the profile; 0 where it ends or jumps [rad/s]
  Real rate{};          ///< ω before the last step [rad/s]
  Real integral{};      ///< I, of the firmware's output
  Real held{};          ///< the output that a firmware with a period holds
  Real until_tick{};    ///< until its next output [s]
  Real current{};       ///< i [A]
  Real motor_torque{};  ///< τ_m [N·m]
  Real load_torque{};   ///< τ_e [N·m]
  Real duty{};          ///< V/U
  Real max_duty{};      ///< its bound in the last step; 0 without torque
  Real volts{};         ///< U in the last step [V]
  Real winding{};       ///< its temperature [°C]
  Real housing{};       ///< the temperature of the case [°C]
  Real overload{};      ///< how long it has lasted [s]
  // 1: the firmware has ended the torque, or limited it to overload_rest, until its torque is
  // switched off.
  Real is_shut_down{};
  Real is_limited{};
};
using ServoMemory = ServoMemoryOf<double>;

/// Returns the memory of a servo that rests at a position [rad] or moves at a rate [rad/s], cold.
inline ServoMemory servo_at(const ServoModel& model, double position, double rate = 0.0) {
  ServoMemory m;
  m.target = position;
  m.rate = rate;
  m.volts = model.supply.voltage;
  m.max_duty = model.firmware.max_duty;
  m.winding = m.housing = model.thermal.ambient;
  return m;
}

}  // namespace servosim
