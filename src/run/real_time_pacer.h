// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace servosim {

/// Holds simulated time to the wall clock: the state of simulated time t is due t / factor after
/// the begin, on an absolute schedule, so that errors do not add up. A delay is made up for by
/// steps without a pause, but for no more than kMaxBurst; the rest moves the schedule and is
/// reported.
///
/// It reads no clock: `now` is an argument, and never decreases.
///
/// Invariant: the schedule moves to later times only, and after step() the simulation is at most
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
  /// Simulated time 0 is now.
  void begin(Clock::time_point now) { begin_ = now; }
  /// The wait for the state of simulated `time` [s]; negative when it is late.
  Seconds until(double time, Clock::time_point now) const;
  /// The step that leads to `time` is taken now. A warning when the simulation cannot keep up: the
  /// first time, then not before kReportInterval has passed.
  std::optional<std::string> step(double time, Clock::time_point now);
  /// The delay of `time` relative to the schedule at the begin.
  Seconds late(double time, Clock::time_point now) const;
  /// At the end, a warning if the simulation could not keep up: it was late by more than kMaxBurst,
  /// or is by a tenth of a short run.
  std::optional<std::string> late_report(double time, Clock::time_point now) const;

 private:
  double factor_;
  std::optional<Clock::time_point> begin_;
  Seconds moved_{0.0};  // of the schedule
  std::optional<Clock::time_point> reported_;
};

}  // namespace servosim
