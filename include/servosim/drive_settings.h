// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "servosim/velocity_controller.h"

namespace servosim {

/// What drives a joint: OdeJointDrive. Units are rad, N·m and s for a hinge, m, N and s for a
/// slider. Speeds and positions are at most 1e8, everything else 1e18, since ODE squares them.
///
/// Threads: a plain value.
struct DriveSettings {
  PidGains gains{};               ///< of position control
  double max_velocity = 10.0;     ///< >= 0
  double max_force = 10.0;        ///< of the motor; >= 0
  double acceleration = -1.0;     ///< >= 0, or -1 for unlimited
  double min_position = 0.0;      ///< of targets; equal to max_position: no limits. The joint's own
  double max_position = 0.0;      ///< stops are left alone: they are set through ODE
  double static_friction = 0.0;   ///< >= 0
  double spring_constant = 0.0;   ///< >= 0
  double rest_position = 0.0;     ///< where the spring is at ease
  double damping_constant = 0.0;  ///< >= 0
};

namespace detail {

inline constexpr double kMaxSpeed = 1e8;   // [rad/s|m/s], or [rad|m]
inline constexpr double kMaxForce = 1e18;  // [N·m|N] and the like

inline void refuse(bool bad, const char* what, double value, const char* allowed) {
  if (bad) {
    char text[160];
    std::snprintf(text, sizeof text, "%s is %g; it must be %s", what, value, allowed);
    throw std::invalid_argument(text);
  }
}

inline void refuse_beyond(double value, double least, double most, const char* what) {
  char allowed[80];
  std::snprintf(allowed, sizeof allowed, "from %g to %g", least, most);
  refuse(!(value >= least && value <= most), what, value, allowed);
}

inline void check_acceleration(double a) {
  refuse(a != -1.0 && !(a >= 0.0), "acceleration", a, "-1 or a number >= 0");
}

inline void check(const PidGains& gains) {
  refuse(!(gains.p > 0.0 && gains.p <= kMaxForce), "P", gains.p, "a number > 0, at most 1e18");
  refuse_beyond(gains.i, 0.0, kMaxForce, "I");
  refuse_beyond(gains.d, 0.0, kMaxForce, "D");
}

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
