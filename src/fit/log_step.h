// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "experiments/step_test.h"
#include "fit/bench.h"
#include "fit/servo_log.h"

namespace servosim {

/// A step of the goal in a log: it holds before and after, and the torque is on.
struct LogStep {
  std::size_t first = 0;  ///< the first sample with the new goal
  std::size_t end = 0;    ///< one more than the last one before the goal or the torque changes
  double from = 0.0;      ///< goals [rad]
  double to = 0.0;

  static constexpr double kHoldsBefore = 0.05;  ///< at least [s]
  static constexpr double kHoldsAfter = 0.2;    ///< at least [s]
};

/// Returns the greatest step of a log, of several the first one; nothing if its goal has none.
std::optional<LogStep> find_log_step(const ServoLog& log);

/// Returns the measured response to a step. Without a measured velocity or effort these are NaN.
StepTest measured_step(const ServoLog& log, const LogStep& step);
/// Returns the response of a simulation that has followed the log. Its effort is the motor's, and
/// NaN for a motor that is no servo.
StepTest simulated_step(const ServoLog& log, const LogStep& step,
                        const std::vector<BenchState>& states);

}  // namespace servosim
