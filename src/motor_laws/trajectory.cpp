// SPDX-License-Identifier: Apache-2.0
#include "motor_laws/trajectory.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace servosim {

Trajectory Trajectory::minimum_jerk(double from, double velocity, double to, double speed) {
  Trajectory t(to);
  const double distance = to - from;
  const double duration = std::abs(distance) / speed;
  const double d = velocity * duration;
  t.add(duration, {from, d, 0.0, 10.0 * distance - 6.0 * d, -15.0 * distance + 8.0 * d,
                   6.0 * distance - 3.0 * d});
  return t;
}

Trajectory Trajectory::trapezoid(double from, double velocity, double to, double speed,
                                 double acceleration) {
  Trajectory t(to);
  double x = from;
  double v = velocity;
  // The way to a stop is v²/(2a), with the sign of v.
  const double stop = v * std::abs(v) / (2.0 * acceleration);
  if (v * (to - x) < 0.0 || std::abs(stop) > std::abs(to - x)) {
    t.accelerate(x, v, -std::copysign(acceleration, v), std::abs(v) / acceleration);
    v = 0.0;
  }
  const double sign = std::copysign(1.0, to - x);
  const double distance = std::abs(to - x);
  const double start = std::abs(v);
  const double peak = std::min(speed, std::sqrt(acceleration * distance + 0.5 * start * start));
  t.accelerate(x, v, std::copysign(acceleration, sign * (peak - start)),
               std::abs(peak - start) / acceleration);
  v = sign * peak;
  // This is the way at the peak speed, between the ways up and down.
  const double rest = std::abs(to - x) - 0.5 * peak * peak / acceleration;
  if (peak > 0.0) {
    t.accelerate(x, v, 0.0, std::max(0.0, rest / peak));
  }
  t.accelerate(x, v, -sign * acceleration, peak / acceleration);
  return t;
}

Trajectory Trajectory::constant_speed(double from, double to, double speed) {
  Trajectory t(to);
  t.add(std::abs(to - from) / speed, {from, to - from});
  return t;
}

void Trajectory::add(double duration, const std::array<double, 6>& terms) {
  if (duration > 0.0) {
    SERVOSIM_ASSERT(count_ < static_cast<int>(pieces_.size()), "piece {}", count_);
    pieces_[count_++] = {duration, terms};
  }
}

// With s = t/T the piece is x + v·T·s + a·T²/2·s².
void Trajectory::accelerate(double& x, double& v, double acceleration, double duration) {
  const double gain = 0.5 * acceleration * duration * duration;
  add(duration, {x, v * duration, gain});
  x += v * duration + gain;
  v += acceleration * duration;
}

void Trajectory::advance(double h) {
  time_ += h;
  // A sum of time steps misses the end because of rounding, but by far less than a thousandth of a
  // step.
  while (moving() && time_ >= pieces_[current_].duration - 1e-3 * h) {
    time_ = std::max(0.0, time_ - pieces_[current_].duration);
    ++current_;
  }
}

// The first coefficient of each piece is a position. The others are differences.
void Trajectory::shift(double shift) {
  for (Piece& piece : pieces_) {
    piece.terms[0] += shift;
  }
  target_ += shift;
}

// Horner's method evaluates the polynomial of s, or its derivative, Σ k·c_k·s^(k − 1)/T.
double Trajectory::at(int derivative) const {
  SERVOSIM_ASSERT(moving(), "piece {} of {}", current_, count_);
  const Piece& piece = pieces_[current_];
  const double s = time_ / piece.duration;
  double value = 0.0;
  for (int k = 5; k >= derivative; --k) {
    value = value * s + piece.terms[k] * (derivative == 0 ? 1.0 : k);
  }
  return derivative == 0 ? value : value / piece.duration;
}

}  // namespace servosim
