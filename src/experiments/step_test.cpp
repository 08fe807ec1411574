// SPDX-License-Identifier: Apache-2.0
#include "experiments/step_test.h"

#include <algorithm>
#include <cmath>

namespace servosim {
namespace {

constexpr double kLeastOfStep = 1e-3;  // relative to the input: a smaller response does not count

}  // namespace

void mark_step(StepTest& test, TestInput input, double change, std::optional<double> target) {
  const auto answer = [&](const StepTest::Row& row) {
    return input == TestInput::Velocity ? row.joint.velocity : row.joint.position;
  };
  const std::size_t last = std::max<std::size_t>(1, test.rows.size() / 10);
  double end = 0.0;
  for (auto row = test.rows.end() - static_cast<std::ptrdiff_t>(last); row != test.rows.end();
       ++row) {
    end += answer(*row) / static_cast<double>(last);
  }
  const double to = target.value_or(end);
  test.steady_error = to - end;
  StepResponse response(false, StepMarks::kBand, kLeastOfStep * std::abs(change));
  for (const StepTest::Row& row : test.rows) {
    const bool begun = row.time > 0.0;
    response.add(row.time, answer(row), begun ? to : answer(row));
  }
  test.marks = response.marks();
}

StepTest step_test(JointTest& test, double change, double seconds) {
  test.restart();
  return step_test_from_here(test, change, seconds);
}

StepTest step_test_from_here(JointTest& test, double change, double seconds) {
  const std::int64_t steps = test_steps(seconds, test.time_step());
  StepTest result;
  result.rows.push_back({0.0, test.offset(), test.joint().reading()});
  for (std::int64_t step = 1; step <= steps; ++step) {
    const JointReading reading = test.step(change);
    result.rows.push_back(
        {static_cast<double>(step) * test.time_step(), test.offset() + change, reading});
  }

  const bool has_target = test.input() != TestInput::Effort;
  mark_step(result, test.input(), change,
            has_target ? std::optional(test.offset() + change) : std::nullopt);
  return result;
}

}  // namespace servosim
