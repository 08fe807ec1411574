// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <string>

#include "servosim/yarp/board_config.h"

namespace servosim::yarp {

/// A joint and its motor as the world describes them, in SI units.
struct JointInfo {
  std::string motor;
  bool revolute = true;
  bool soft = true;          ///< its drive may be soft like a spring; false if it has backlash
  double max_effort = 10.0;  ///< largest effort of its motor [N·m|N], >= 0
  double max_velocity = 10.0;
  double min_position = 0.0;  ///< equal to max_position if there are no limits
  double max_position = 0.0;
};

/// The largest absolute value of a reference or parameter, so that products of them are finite.
inline constexpr double kMaxParameter = 1e12;

/// Returns whether a number may be a reference or a parameter; false for NaN.
constexpr bool is_possible(double value) {
  return value >= -kMaxParameter && value <= kMaxParameter;
}

/// Returns whether the fields of a controller have the signs and ranges that the control law needs.
bool is_possible(const Pid& pid);

/// @throws std::invalid_argument with the joint and the value
void check(const BoardConfig& config);

/// Returns the index of a VOCAB_PIDTYPE_…, 0 to 3; -1 if there is no such type.
int pid_index(vocab32_t type);

/// A range of positions. Equal bounds mean that there are no limits.
struct PositionLimits {
  double min = 0.0;
  double max = 0.0;
  bool any() const { return min < max; }
};

/// Parameters that are stored and returned; nothing uses them.
struct StoredParameters {
  double nominal_current;
  double peak_current;
  std::array<double, 4> pid_error_limit{};
  double temperature_limit = std::numeric_limits<double>::infinity();
  double gearbox_ratio = 1.0;
  double counts_per_revolution = 0.0;
  MotorTorqueParameters motor_torque{};
};

/// The parameters of a joint, in the board's units. Clients may set them in every mode.
struct JointParameters : StoredParameters {
  /// `unit` is the board's unit in SI.
  JointParameters(const JointConfig& config, const JointInfo& info, double unit);

  double clamp_position(double position) const;
  /// Returns the hard limits as readings of an encoder with that zero.
  PositionLimits hard_limits_at(double zero) const {
    return {hard_limits.min - zero, hard_limits.max - zero};
  }

  JointConfig config;
  double ref_speed;
  double ref_acceleration;
  PositionLimits limits;
  PositionLimits hard_limits;  ///< for an encoder whose zero is 0
  double max_velocity;
  double stiffness;
  double damping;
  double impedance_offset = 0.0;
  double max_torque;
  double max_current;
  double pwm_limit = 100.0;
  std::array<Pid, 4> pids;
  CalibrationParameters calibration;
  bool has_calibration;  ///< whether `calibration` was ever set
  /// What a joint that is not configured has received.
  struct Received {
    bool pid = false;
    bool limits = false;
    bool current = false;
  } received;
};

}  // namespace servosim::yarp
