// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace servosim {

/// The state of a periodic measurement: the time when it is due and the last sample.
///
/// The first value comes one period after enabling; the true period is the requested one rounded up
/// to a multiple of the basic time step. A supervisor's reset alone takes a value at once.
///
/// Threads: a plain value.
class Sampler {
 public:
  /// The time of an enabling after which the first value does not wait for a period.
  static constexpr double kLongAgo = -std::numeric_limits<double>::infinity();

  /// `period_ms` [ms]; 0 turns it off. Restarts the wait. The last value is kept.
  void enable(int period_ms, double now_ms);
  int period_ms() const { return period_ms_; }
  bool due(double now_ms) const { return period_ms_ > 0 && period_is_over(now_ms); }
  void store(double value, double now_ms);
  /// The last measurement, NaN before the first.
  const double& value() const { return value_; }
  /// When that was, or when it was enabled since [ms].
  double last_ms() const { return last_ms_; }
  /// Counts the measurements stored so far.
  std::uint64_t count() const { return count_; }

 private:
  bool period_is_over(double now_ms) const;

  int period_ms_ = 0;
  double last_ms_ = 0.0;
  double value_ = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t count_ = 0;
};

}  // namespace servosim
