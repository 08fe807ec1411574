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

namespace detail {

// These are for single numbers and for lanes of them, whose conditions hold lane by lane.

/// Returns `value`, moved towards `goal` by at most `step` >= 0.
template <class Real>
[[gnu::always_inline]] inline Real approach(const Real& value, const Real& goal, const Real& step) {
  const Real gap = goal - value;
  const Real size = gap > 0.0 ? gap : 0.0 - gap;
  const Real nearer = value + (gap >= 0.0 ? step : -step);
  return size <= step ? goal : nearer;
}

/// The numbers that the motor law keeps, and one step of it: see VelocityController.
///
/// Threads: a plain value.
template <class Real>
struct VelocityNumbers {
  Real velocity{};        ///< V
  Real integral{};        ///< E
  Real previous_error{};  ///< e₋

  /// @param gains  has the numbers p, i and d
  /// @param any_d  whether D is not 0, in some lane; its division is rarely needed
  template <class Gains>
  [[gnu::always_inline]] void track(const Real& target, const Real& position, const Real& speed,
                                    const Real& acceleration, const Gains& gains, double h,
                                    bool any_d) {
    const auto has_target = target - target == 0.0;  // it is finite
    const Real error = target - position;
    integral = has_target ? integral + error * h : integral;
    Real u = gains.p * error;
    u = gains.i == 0.0 ? u : u + gains.i * integral;  // without I, it may have overflowed
    if (any_d) {
      u = gains.d == 0.0 ? u : u + gains.d * ((error - previous_error) / h);
    }
    previous_error = has_target ? error : previous_error;
    const Real limit = speed > 0.0 ? speed : 0.0 - speed;
    const Real bounded = u < -limit ? -limit : (limit < u ? limit : u);
    const Real towards = u == u ? bounded : Real{};  // not NaN
    const Real wanted = has_target ? towards : speed;
    const Real nearer = approach<Real>(velocity, wanted, acceleration * h);
    velocity = acceleration == -1.0 ? wanted : nearer;
  }
};

}  // namespace detail

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
  double velocity() const { return numbers_.velocity; }
  /// E [rad·s|m·s]
  double error_integral() const { return numbers_.integral; }
  /// e₋ [rad|m]
  double previous_error() const { return numbers_.previous_error; }
  /// Makes V 0; the errors stay.
  void stop() { numbers_.velocity = 0.0; }
  /// Makes E and e₋ 0.
  void clear_errors() { numbers_.integral = numbers_.previous_error = 0.0; }
  /// V, E and e₋, which are all that it keeps.
  const detail::VelocityNumbers<double>& numbers() const { return numbers_; }
  void set_numbers(const detail::VelocityNumbers<double>& numbers) { numbers_ = numbers; }

 private:
  detail::VelocityNumbers<double> numbers_;
};

inline double VelocityController::track(double target, double position, double speed,
                                        double acceleration, const PidGains& gains, double h) {
  numbers_.track(target, position, speed, acceleration, gains, h, gains.d != 0.0);
  return numbers_.velocity;
}

inline double VelocityController::move(double target, double position, double speed,
                                       double acceleration, double h) {
  double& velocity = numbers_.velocity;
  if (std::abs(speed - velocity) > 1e-6) {
    velocity = detail::approach(velocity, speed, acceleration * h);
  }
  if (target > position) {
    return std::min(position + velocity * h, target);
  }
  return std::max(position - velocity * h, target);
}

}  // namespace servosim
