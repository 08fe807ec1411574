// SPDX-License-Identifier: Apache-2.0
#include "experiments/step_test.h"

#include <algorithm>
#include <cmath>

namespace servosim {
namespace {

constexpr double kLeastOfStep = 1e-3;  // relative to the input: a smaller response does not count

}  // namespace

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

  const bool velocity = test.input() == TestInput::Velocity;
  const auto answer = [&](const StepTest::Row& row) {
    return velocity ? row.joint.velocity : row.joint.position;
  };
  const std::size_t last = std::max<std::size_t>(1, result.rows.size() / 10);
  double end = 0.0;
  for (auto row = result.rows.end() - static_cast<std::ptrdiff_t>(last); row != result.rows.end();
       ++row) {
    end += answer(*row) / static_cast<double>(last);
  }
  const bool has_target = test.input() != TestInput::Effort;
  const double target = has_target ? test.offset() + change : end;
  result.steady_error = target - end;
  StepResponse response(false, StepMarks::kBand, kLeastOfStep * std::abs(change));
  for (const StepTest::Row& row : result.rows) {
    const bool begun = row.time > 0.0;
    response.add(row.time, answer(row), begun ? target : answer(row));
  }
  result.marks = response.marks();
  return result;
}

}  // namespace servosim
