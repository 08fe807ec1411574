// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace servosim {

/// The gains of the position loop: the field `controlPID` of a Motor node. VelocityController has
/// the equation.
///
/// Threads: a plain value.
struct PidGains {
  /// Velocity per position error [1/s]; > 0.
  double p = 10.0;
  /// Velocity per integrated error [1/s²]; >= 0.
  double i = 0.0;
  /// Velocity per error rate [-]; >= 0.
  double d = 0.0;
  bool operator==(const PidGains&) const = default;
};

/// The motor law: turns a target into the velocity the joint should track.
///
/// One step of length h towards a finite target, with e = target − position, computes
///
///     E ← E + e·h                                 error integral
///     u = P·e + I·E + D·(e − e₋)/h                e₋: error one step ago
///     w = clamp(u, −|speed|, |speed|)
///     V ← V + clamp(w − V, −a·h, a·h)             a: acceleration, −1 for no bound
///
/// Towards an infinite target w = speed, for either sign of the infinity. Units are SI: rad for
/// hinges, m for sliders; all signs are those of the joint's position. E is not clamped and a new
/// target does not reset it, as in Webots. The Webots manual (Motor) prints the D term with the
/// opposite sign. Its program uses the sign above, and so does servosim:
/// docs/explanation/deviations.md#d-term.
///
/// Threads: a plain value.
class VelocityController {
 public:
  /// Computes one step. No argument is checked.
  /// @param target  [rad|m]; ±infinity selects velocity control
  /// @param position  the present position [rad|m]
  /// @param speed  the limit of the speed, or the velocity to hold [rad/s|m/s]
  /// @param acceleration  [rad/s²|m/s²]; >= 0, or -1 for no limit
  /// @param gains  P, I and D
  /// @param h  the length of the step [s]; > 0
  /// @returns V [rad/s|m/s]
  double track(double target, double position, double speed, double acceleration,
               const PidGains& gains, double h);
  /// Computes one step of a joint without Physics, which only this law moves. V approaches `speed`
  /// by acceleration·h without slowing before the target, and the joint does not overrun the
  /// target. The sign of an infinite target is the direction.
  /// @returns the new position [rad|m]
  double move(double target, double position, double speed, double acceleration, double h);

  /// V, the velocity of the last step [rad/s|m/s]; 0 at first.
  double velocity() const { return velocity_; }
  /// E [rad·s|m·s]
  double error_integral() const { return integral_; }
  /// e₋ [rad|m]
  double previous_error() const { return previous_error_; }
  /// Makes V 0; the errors stay.
  void stop() { velocity_ = 0.0; }
  /// Makes E and e₋ 0.
  void clear_errors() { integral_ = previous_error_ = 0.0; }

 private:
  double velocity_ = 0.0;
  double integral_ = 0.0;
  double previous_error_ = 0.0;
};

namespace detail {

// Moves `value` towards `goal` by at most `step` >= 0.
inline double approach(double value, double goal, double step) {
  const double gap = goal - value;
  return std::abs(gap) <= step ? goal : value + std::copysign(step, gap);
}

}  // namespace detail

inline double VelocityController::track(double target, double position, double speed,
                                        double acceleration, const PidGains& gains, double h) {
  double wanted = speed;
  if (std::isfinite(target)) {
    const double error = target - position;
    integral_ += error * h;
    double u = gains.p * error;
    if (gains.i != 0.0) {  // else the integral may have overflowed
      u += gains.i * integral_;
    }
    if (gains.d != 0.0) {  // this division is rarely needed
      u += gains.d * ((error - previous_error_) / h);
    }
    previous_error_ = error;
    const double limit = std::abs(speed);
    wanted = std::isnan(u) ? 0.0 : std::clamp(u, -limit, limit);
  }
  velocity_ = acceleration == -1.0 ? wanted : detail::approach(velocity_, wanted, acceleration * h);
  return velocity_;
}

inline double VelocityController::move(double target, double position, double speed,
                                       double acceleration, double h) {
  if (std::abs(speed - velocity_) > 1e-6) {
    velocity_ = detail::approach(velocity_, speed, acceleration * h);
  }
  if (target > position) {
    return std::min(position + velocity_ * h, target);
  }
  return std::max(position - velocity_ * h, target);
}

}  // namespace servosim
