// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace servosim {

/// Describes the motion of a joint from its position to a target by at most four pieces, each a
/// polynomial of time. Lengths have any unit; times are in seconds. At the end the joint rests
/// exactly on the target. A velocity is positive in the direction of growing positions; `speed` and
/// `acceleration` are magnitudes.
///
/// Invariants: 0 <= current_ <= count_ <= 4; every piece has a duration > 0.
///
/// Threads: a plain value.
class Trajectory {
 public:
  /// Creates a finished motion that rests at `position`.
  explicit Trajectory(double position = 0.0) : target_(position) {}

  /// Returns the curve of fifth degree that starts at `velocity` and lasts T = |to − from|/speed,
  /// where `speed` > 0 is the mean speed. The acceleration is 0 at both ends. With s = t/T, D = to
  /// − from, d = velocity·T:
  ///
  ///     x(s) = from + d·s + (10D − 6d)·s³ − (15D − 8d)·s⁴ + (6D − 3d)·s⁵
  ///
  /// From rest this curve has the least jerk (T. Flash and N. Hogan, "The coordination of arm
  /// movements", 1985), and its peak speed is 1.875 times the mean speed.
  static Trajectory minimum_jerk(double from, double velocity, double to, double speed);
  /// Returns a motion that accelerates to `speed` > 0, cruises and brakes, with `acceleration` > 0.
  /// If it starts too fast to stop at the target, or away from it, it first brakes to a stop. For
  /// the distance D, the initial speed v₀ towards the target and the acceleration a, the peak speed
  /// is
  ///
  ///     v = min(speed, √(a·D + v₀²/2)),
  ///
  /// because the way up takes (v² − v₀²)/(2a) and the way down v²/(2a).
  static Trajectory trapezoid(double from, double velocity, double to, double speed,
                              double acceleration);
  /// Returns a motion from `from` to `to` at `speed` > 0, which begins and ends with a jump of the
  /// velocity.
  static Trajectory constant_speed(double from, double to, double speed);

  /// Advances by `h` > 0 [s]. The last step ends at the target.
  void advance(double h);
  /// Moves the origin, so that every position and the target increase by `shift`.
  void shift(double shift);
  /// Returns the position at the current time; the target after the end.
  double position() const { return moving() ? at(0) : target_; }
  /// Returns the velocity at the current time [length/s]; 0 after the end.
  double velocity() const { return moving() ? at(1) : 0.0; }
  bool moving() const { return current_ < count_; }
  double target() const { return target_; }

 private:
  struct Piece {
    double duration;              // [s]
    std::array<double, 6> terms;  // coefficients of powers of s = t/duration
  };
  /// Adds a piece with these coefficients. A duration of 0 adds none.
  void add(double duration, const std::array<double, 6>& terms);
  /// Adds a piece of constant acceleration and moves `x` and `v` to its end.
  void accelerate(double& x, double& v, double acceleration, double duration);
  /// Returns the value (0) or the first derivative by time (1) of the current piece.
  double at(int derivative) const;

  std::array<Piece, 4> pieces_{};
  int count_ = 0;
  int current_ = 0;
  double time_ = 0.0;  // time since the start of the current piece [s]
  double target_;
};

}  // namespace servosim
