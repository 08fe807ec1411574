// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace servosim {

/// The motion of a joint from its position to a target: at most four pieces, each a polynomial of
/// time. Lengths have any unit; times are in seconds. At the end the joint rests exactly on the
/// target.
///
/// Invariants: 0 <= current_ <= count_ <= 4; every piece has a duration > 0.
class Trajectory {
 public:
  /// A finished motion that rests at `position`.
  explicit Trajectory(double position = 0.0) : target_(position) {}

  /// Returns the curve of fifth degree that starts at `velocity` and lasts T = |to − from|/speed,
  /// where `speed` > 0 is the mean speed. The acceleration is 0 at both ends. With s = t/T, D = to
  /// − from, d = velocity·T:
  ///
  ///     x(s) = from + d·s + (10D − 6d)·s³ − (15D − 8d)·s⁴ + (6D − 3d)·s⁵
  ///
  /// From rest this curve has the least jerk, and its peak speed is 1.875 times the mean speed.
  static Trajectory minimum_jerk(double from, double velocity, double to, double speed);
  /// Accelerates to `speed` > 0, cruises and brakes, with `acceleration` > 0. If it starts too fast
  /// to stop at the target, or away from it, it first brakes to a stop.
  static Trajectory trapezoid(double from, double velocity, double to, double speed,
                              double acceleration);
  /// Moves at `speed` > 0 from begin to end.
  static Trajectory constant_speed(double from, double to, double speed);

  /// Advances by `h` > 0 [s]. The last step ends at the target.
  void advance(double h);
  /// Moves the origin, so that every position increases by `shift`.
  void shift(double shift);
  double position() const { return moving() ? at(0) : target_; }
  double velocity() const { return moving() ? at(1) : 0.0; }
  bool moving() const { return current_ < count_; }
  double target() const { return target_; }

 private:
  struct Piece {
    double duration;              // [s]
    std::array<double, 6> terms;  // coefficients of powers of s = t/duration
  };
  void add(double duration, const std::array<double, 6>& terms);
  /// Adds a piece of constant acceleration and moves `x` and `v` to its end.
  void accelerate(double& x, double& v, double acceleration, double duration);
  double at(int derivative) const;

  std::array<Piece, 4> pieces_{};
  int count_ = 0;
  int current_ = 0;
  double time_ = 0.0;  // in the current piece
  double target_;
};

}  // namespace servosim
