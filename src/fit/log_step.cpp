// SPDX-License-Identifier: Apache-2.0
#include "fit/log_step.h"

#include <cmath>
#include <limits>

namespace servosim {
namespace {

// The rows of a step, where `reading(s)` is the joint at a sample.
template <class Reading>
StepTest step_of(const ServoLog& log, const LogStep& step, Reading reading) {
  StepTest test;
  const double begin = log.samples[step.first].time;
  for (std::size_t s = step.first; s < step.end; ++s) {
    test.rows.push_back(
        {log.samples[s].time - begin, s == step.first ? step.from : step.to, reading(s)});
  }
  mark_step(test, TestInput::Position, step.to - step.from, step.to);
  return test;
}

}  // namespace

std::optional<LogStep> find_log_step(const ServoLog& log) {
  const std::vector<LogSample>& samples = log.samples;
  std::optional<LogStep> best;
  std::size_t held = 0;  // the first sample with the present goal and torque
  for (std::size_t s = 1; s < samples.size(); ++s) {
    if (samples[s].goal == samples[s - 1].goal && samples[s].on == samples[s - 1].on) {
      continue;
    }
    const std::size_t since = held;
    held = s;
    if (samples[s].time - samples[since].time < LogStep::kHoldsBefore || !samples[s].on ||
        !samples[s - 1].on) {
      continue;
    }
    LogStep step{s, s + 1, samples[s - 1].goal, samples[s].goal};
    while (step.end < samples.size() && samples[step.end].goal == step.to && samples[step.end].on) {
      ++step.end;
    }
    // The sample at which the goal changes still shows the answer to the one before.
    step.end += step.end < samples.size() ? 1 : 0;
    const double holds = samples[step.end - 1].time - samples[s].time;
    const double height = std::abs(step.to - step.from);
    if (holds >= LogStep::kHoldsAfter && (!best || height > std::abs(best->to - best->from))) {
      best = step;
    }
  }
  return best;
}

StepTest measured_step(const ServoLog& log, const LogStep& step) {
  return step_of(log, step, [&](std::size_t s) {
    const LogSample& sample = log.samples[s];
    return JointReading{sample.position, sample.velocity, 0.0, sample.effort};
  });
}

StepTest simulated_step(const ServoLog& log, const LogStep& step,
                        const std::vector<BenchState>& states) {
  return step_of(log, step, [&](std::size_t s) {
    return JointReading{states[s].position, states[s].rate, 0.0, states[s].torque};
  });
}

}  // namespace servosim
