// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "servosim/velocity_controller.h"

namespace servosim {

/// The parameters of an OdeJointDrive: its motor, its friction, and its spring and damper. Units
/// are rad, N·m and s for a hinge, m, N and s for a slider. Speeds and positions are at most 1e8
/// and everything else at most 1e18, since ODE squares them.
///
/// Threads: a plain value.
struct DriveSettings {
  /// The gains of position control.
  PidGains gains{};
  /// The largest speed that a motor may be told [rad/s|m/s]; >= 0.
  double max_velocity = 10.0;
  /// The largest effort of the motor [N·m|N]; >= 0.
  double max_force = 10.0;
  /// The largest change of the motor's speed [rad/s²|m/s²]; >= 0, or -1 for no limit.
  double acceleration = -1.0;
  /// The range of target positions [rad|m]. Equal values mean that there are no limits. The stops
  /// of the joint itself are not touched: they are set through ODE.
  double min_position = 0.0;
  double max_position = 0.0;  ///< stops are left alone: they are set through ODE
  /// Dry friction [N·m|N]; >= 0.
  double static_friction = 0.0;
  /// The stiffness of the spring [N·m/rad|N/m]; >= 0.
  double spring_constant = 0.0;
  /// The position at which the spring has no force [rad|m].
  double rest_position = 0.0;
  /// The damping [N·m·s/rad|N·s/m]; >= 0.
  double damping_constant = 0.0;
};

namespace detail {

/// The limit of speeds [rad/s|m/s] and of positions [rad|m].
inline constexpr double kMaxSpeed = 1e8;
/// The limit of efforts [N·m|N], stiffness, damping and gains.
inline constexpr double kMaxForce = 1e18;

/// Throws std::invalid_argument with a message if `bad`.
inline void refuse(bool bad, const char* what, double value, const char* allowed) {
  if (bad) {
    char text[160];
    std::snprintf(text, sizeof text, "%s is %g; it must be %s", what, value, allowed);
    throw std::invalid_argument(text);
  }
}

/// Throws std::invalid_argument unless `value` is in [least, most]; NaN never is.
inline void refuse_beyond(double value, double least, double most, const char* what) {
  char allowed[80];
  std::snprintf(allowed, sizeof allowed, "from %g to %g", least, most);
  refuse(!(value >= least && value <= most), what, value, allowed);
}

inline void check_acceleration(double a) {
  refuse(a != -1.0 && !(a >= 0.0), "acceleration", a, "-1 or a number >= 0");
}

/// Throws std::invalid_argument unless P > 0, I >= 0, D >= 0, and none is beyond the limit.
inline void check(const PidGains& gains) {
  refuse(!(gains.p > 0.0 && gains.p <= kMaxForce), "P", gains.p, "a number > 0, at most 1e18");
  refuse_beyond(gains.i, 0.0, kMaxForce, "I");
  refuse_beyond(gains.d, 0.0, kMaxForce, "D");
}

/// Throws std::invalid_argument for the first member, in this order, that is out of its range.
inline void check(const DriveSettings& s) {
  check(s.gains);
  check_acceleration(s.acceleration);
  refuse_beyond(s.max_velocity, 0.0, kMaxSpeed, "max_velocity");
  refuse_beyond(s.max_force, 0.0, kMaxForce, "max_force");
  refuse_beyond(s.min_position, -kMaxSpeed, kMaxSpeed, "min_position");
  refuse_beyond(s.max_position, s.min_position, kMaxSpeed, "max_position");
  refuse_beyond(s.static_friction, 0.0, kMaxForce, "static_friction");
  refuse_beyond(s.spring_constant, 0.0, kMaxForce, "spring_constant");
  refuse_beyond(s.rest_position, -kMaxSpeed, kMaxSpeed, "rest_position");
  refuse_beyond(s.damping_constant, 0.0, kMaxForce, "damping_constant");
}

}  // namespace detail

}  // namespace servosim
