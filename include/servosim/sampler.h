// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace servosim {

/// The state of a periodic measurement: its period, the time of the last sample, and that sample.
///
/// The first sample comes one period after enabling. The true period is the requested one, rounded
/// up to a multiple of the basic time step. Only a supervisor's reset takes a sample at once.
///
/// Threads: a plain value.
class Sampler {
 public:
  /// Given as `now_ms` of enable(), it makes the first sample due at once.
  static constexpr double kLongAgo = -std::numeric_limits<double>::infinity();

  /// Sets the period and restarts the wait; the last sample is kept.
  /// @param period_ms  [ms]; 0 switches the measurement off
  /// @param now_ms  the simulated time [ms]
  void enable(int period_ms, double now_ms);
  /// The requested period [ms]; 0 when it is off.
  int period_ms() const { return period_ms_; }
  /// Whether a sample is to be taken at `now_ms` [ms].
  bool due(double now_ms) const { return period_ms_ > 0 && period_is_over(now_ms); }
  /// Keeps a sample that was taken at `now_ms` [ms], from which the next period counts.
  void store(double value, double now_ms);
  /// The last sample; NaN before the first one. The reference is valid as long as this object.
  const double& value() const { return value_; }
  /// When the last sample was taken, or when the measurement was enabled after that [ms].
  double last_ms() const { return last_ms_; }
  /// The number of samples that were stored.
  std::uint64_t count() const { return count_; }

 private:
  bool period_is_over(double now_ms) const;

  int period_ms_ = 0;
  double last_ms_ = 0.0;
  double value_ = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t count_ = 0;
};

}  // namespace servosim
