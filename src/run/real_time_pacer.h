// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace servosim {

/// Synchronizes simulated time with the wall clock. The state of simulated time t is due t / factor
/// after the begin, on an absolute schedule, so that errors do not add up. Steps without a pause
/// make up for a delay of at most kMaxBurst; the rest moves the schedule and is reported.
///
/// It reads no clock: `now` is an argument and never decreases.
///
/// Invariant: the schedule moves only to later times, and after step() the simulation is at most
/// kMaxBurst behind it.
class RealTimePacer {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  static constexpr Seconds kMaxBurst{0.05};
  static constexpr Seconds kReportInterval{10.0};
  static constexpr Seconds kJitter{0.01};  ///< allowed delay of the last step on a busy machine

  /// @param factor  simulated seconds per second; finite, > 0
  explicit RealTimePacer(double factor) : factor_(factor) {}

  double factor() const { return factor_; }
  bool begun() const { return begin_.has_value(); }
  /// Makes simulated time 0 due now.
  void begin(Clock::time_point now) { begin_ = now; }
  /// Returns the wait for the state of simulated `time` [s]; negative if it is late.
  Seconds until(double time, Clock::time_point now) const;
  /// Records that the step to `time` is taken now. Returns a warning if the simulation cannot keep
  /// up: the first time, and then at most once per kReportInterval.
  std::optional<std::string> step(double time, Clock::time_point now);
  /// Returns the delay of `time` relative to the schedule at the begin.
  Seconds late(double time, Clock::time_point now) const;
  /// Returns, at the end, a warning if the simulation could not keep up: if it was late by more
  /// than kMaxBurst, or is late by a tenth of a short run.
  std::optional<std::string> late_report(double time, Clock::time_point now) const;

 private:
  double factor_;
  std::optional<Clock::time_point> begin_;
  Seconds moved_{0.0};  // shift of the schedule
  std::optional<Clock::time_point> reported_;
};

}  // namespace servosim
