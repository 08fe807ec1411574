// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <string>

namespace servosim {

/// The electric motor and the gear of a servo, seen at its output shaft.
///
/// Threads: a plain value.
struct ServoDrive {
  /// The torque per current and the back-EMF per speed, kt [N·m/A = V·s/rad]; > 0.
  double torque_constant = 1.0;
  /// The resistance of the winding at `reference_temperature`, R [Ω]; > 0.
  double resistance = 1.0;
  /// The inductance of the winding, L [H]; >= 0.
  double inductance = 0.0;
  /// The inertia of the rotor, times the square of the gear ratio, J_a [kg·m²]; >= 0.
  double armature = 0.0;
  /// The play of the gear, from flank to flank [rad]; >= 0.
  double backlash = 0.0;
  /// How far a slider that this servo drives moves per radian of the shaft, such as the radius of
  /// its pinion [m/rad]; > 0 for a slider, 0 for a joint that turns.
  double travel = 0.0;
};

/// Which load torque τ_e a friction budget reads.
///
/// Threads: a plain value.
enum class ServoLoad {
  Transmitted,  ///< the torque of all that is on the axis but the motor, with its inertia
  Static,       ///< what the axis would need to keep its rate; BAM's bench: gravity
};

/// The friction of the gear: the models M1 to M6 of BAM are special cases. It holds the shaft at
/// rest, at most with
///
///     B = coulomb + |motor·τ_m − external·τ_e| + S·(stribeck + |motor_stribeck·τ_m −
///     external_stribeck·τ_e| + Q) S = exp(−|ω/stribeck_speed|^stribeck_exponent) Q =
///     external_quadratic·τ_e² where |τ_m| > |τ_e|, motor_quadratic·τ_m² where |τ_m| < |τ_e|,
///         0 unless τ_m and τ_e are against each other
///
/// and acts with B against the motion otherwise, in addition to viscous·ω.
///
/// Threads: a plain value.
struct ServoFriction {
  double coulomb = 0.0;             ///< K_c [N·m]; >= 0
  double viscous = 0.0;             ///< [N·m·s/rad]; >= 0
  double stribeck = 0.0;            ///< K_cs [N·m]; >= 0
  double stribeck_speed = 1.0;      ///< [rad/s]; > 0
  double stribeck_exponent = 1.0;   ///< > 0
  double motor = 0.0;               ///< K_m; >= 0, and motor + motor_stribeck < 1
  double external = 0.0;            ///< K_e; >= 0, and external + external_stribeck < 1
  double motor_stribeck = 0.0;      ///< K_ms; >= 0
  double external_stribeck = 0.0;   ///< K_es; >= 0
  double motor_quadratic = 0.0;     ///< K_mq [1/(N·m)]; >= 0
  double external_quadratic = 0.0;  ///< K_eq [1/(N·m)]; >= 0
  ServoLoad load = ServoLoad::Transmitted;
};

/// What the firmware of a servo controls.
///
/// Threads: a plain value.
enum class ServoLaw {
  Duty,     ///< the duty of the bridge: most hobby servos, Dynamixel, Feetech
  Current,  ///< the current of the winding: eRob and other drives with a current loop
};

/// The firmware of a servo: goal, profile, position loop and limits. With the error e between goal
/// and encoder, its output is
///
///     u = gain·(p·e + i·∫e dt − d·ω)                [duty, or A where the law is Current]
///
/// with the punch added outside of the dead zone, within the PWM limit.
///
/// Threads: a plain value.
struct ServoFirmware {
  ServoLaw law = ServoLaw::Duty;
  double p = 1.0;          ///< the P gain as its register has it; >= 0
  double i = 0.0;          ///< the I gain as its register has it; >= 0
  double d = 0.0;          ///< the D gain as its register has it; >= 0
  double p_scale = 1.0;    ///< the output per radian and unit of p; > 0
  double i_scale = 0.0;    ///< the output per radian, second and unit of i; >= 0
  double d_scale = 0.0;    ///< the output per rad/s and unit of d; >= 0
  double dead_zone = 0.0;  ///< no output within ± this error [rad]; >= 0
  double punch = 0.0;      ///< the least output outside of the dead zone; from 0 to max_duty
  /// The width over which a compliant position loop (AX) rises from punch to its limit [rad]; >= 0.
  /// 0: the loop is u above.
  double compliance_slope = 0.0;
  double max_duty = 1.0;  ///< the PWM limit; from 0 to 1
  /// The window of current outside of which the bridge is throttled [A]; > 0.
  double max_current = std::numeric_limits<double>::infinity();
  /// The most that the bridge takes from the supply, duty·i [A]; > 0.
  double max_supply_current = std::numeric_limits<double>::infinity();
  double max_speed = std::numeric_limits<double>::infinity();  ///< of the goal's profile [rad/s]
  /// The acceleration of the goal's profile [rad/s²]; > 0.
  double max_acceleration = std::numeric_limits<double>::infinity();
  double period = 0.0;  ///< how long an output is held [s]; 0: it is continuous
  double delay = 0.0;   ///< from a command to its effect [s]; >= 0
};

/// The supply of a servo. Servos of one robot whose supplies have one name share its current.
///
/// Threads: a plain value.
struct ServoSupply {
  std::string name;         ///< may be empty
  double voltage = 12.0;    ///< without a load, U₀ [V]; > 0
  double resistance = 0.0;  ///< R_s [Ω]; >= 0, and less than that of each of its motors
  /// The voltage does not sag below this and a tenth of `voltage` [V]; >= 0.
  double min_voltage = 0.0;
};

/// The sensor of the shaft's position.
///
/// Threads: a plain value.
struct ServoEncoder {
  double counts = 0.0;  ///< per turn; 0: exact
  double offset = 0.0;  ///< what it reads at the joint's 0 [rad]
  double noise = 0.0;   ///< standard deviation of a reading [rad]; >= 0
};

/// The heat of a servo: a winding in a case. T' = (i²·R − (T − T_case)/R_wc)/C_w for the winding,
/// and the same for the case, which also has the heat of friction.
///
/// Threads: a plain value.
struct ServoThermal {
  double winding_capacity = 0.0;    ///< C_w [J/K]; 0: the winding stays at the ambient temperature
  double winding_resistance = 0.0;  ///< R_wc, winding to case [K/W]; >= 0
  double case_capacity = 0.0;       ///< C_c [J/K]; 0: the case stays at the ambient temperature
  double case_resistance = 0.0;     ///< R_ca, case to air [K/W]; >= 0
  double ambient = 25.0;            ///< [°C]
  double reference_temperature = 25.0;    ///< the one of drive.resistance [°C]
  double resistance_per_kelvin = 0.0039;  ///< of the winding [1/K]
};

/// When the firmware ends its torque by itself. Infinite and 0 values mean never.
///
/// Threads: a plain value.
struct ServoProtection {
  double max_temperature = std::numeric_limits<double>::infinity();  ///< of the case [°C]
  double min_voltage = 0.0;                                          ///< of the supply [V]
  double max_voltage = std::numeric_limits<double>::infinity();      ///< of the supply [V]
  double overload_duty = std::numeric_limits<double>::infinity();    ///< |duty| that is an overload
  double overload_time = 0.0;  ///< after this long in overload the torque ends [s]
  /// The PWM limit that an overload leaves, from 0 to 1; 0: the torque ends.
  double overload_rest = 0.0;
};

/// The pulses of a hobby servo. Widths and positions are proportional, and what is beyond the ends
/// counts as an end.
///
/// Threads: a plain value.
struct ServoPulses {
  double low = 0.0;            ///< the width of the pulse at low_position [µs]; 0: no pulses
  double high = 0.0;           ///< the width of the pulse at high_position [µs]
  double low_position = 0.0;   ///< [rad]
  double high_position = 0.0;  ///< [rad]
  double frame = 0.02;         ///< the time between two pulses [s]; > 0

  /// Returns whether the servo takes pulses.
  bool exist() const { return low > 0.0; }
  /// Returns the position that a pulse of this width [µs] asks for [rad].
  double position_of(double width) const { return position_on_line(std::clamp(width, low, high)); }
  /// Returns the width of the pulse that asks for a position [rad], in µs.
  double width_of(double position) const {
    const auto [least, most] = std::minmax(low_position, high_position);
    return width_on_line(std::clamp(position, least, most));
  }
  /// Returns the same, as if the line of both went on beyond the ends.
  double position_on_line(double width) const {
    return low_position + (width - low) / (high - low) * (high_position - low_position);
  }
  /// Returns the same, as if the line of both went on beyond the ends.
  double width_on_line(double position) const {
    return low + (position - low_position) / (high_position - low_position) * (high - low);
  }
};

/// A real servo as numbers, all at its output shaft: what a catalogue file has, what `fit` finds,
/// what turns a motor of a world into that servo. docs/explanation/servos.md has the law.
///
/// Threads: a plain value.
struct ServoModel {
  std::string name;  ///< of its maker, without spaces: XL330-M288-T
  ServoDrive drive;
  ServoFriction friction;
  ServoFirmware firmware;
  ServoSupply supply;
  ServoEncoder encoder;
  ServoThermal thermal;
  ServoProtection protection;
  ServoPulses pulses;
};

}  // namespace servosim
