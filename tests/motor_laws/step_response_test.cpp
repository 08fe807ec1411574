// SPDX-License-Identifier: Apache-2.0
#include "motor_laws/step_response.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace servosim::test {
namespace step_response_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kStep = 0.001;

// Makes a response that steps from 0.25 to 0.75 at 0.5 s. `share` maps the time after the step [s]
// to the covered share of the distance.
StepResponse response(const std::function<double(double)>& share, bool from_start = true) {
  StepResponse found(from_start);
  for (int n = 1; n <= 4000; ++n) {
    const double time = n * kStep;
    found.add(time, 0.25 + 0.5 * (time > 0.5 ? share(time - 0.5) : 0.0), time > 0.5 ? 0.75 : 0.25);
  }
  return found;
}

// The system is of second order with damping 0.5 and natural frequency 20 rad/s.
TEST(StepResponse, HasTheMarksOfASecondOrderSystem) {
  constexpr double kDamping = 0.5;
  constexpr double kFrequency = 20.0;
  const double damped = kFrequency * std::sqrt(1.0 - kDamping * kDamping);
  const auto share = [&](double t) {
    return 1.0 - std::exp(-kDamping * kFrequency * t) *
                     (std::cos(damped * t) + kDamping * kFrequency / damped * std::sin(damped * t));
  };
  const auto marks = response(share).marks();
  ASSERT_TRUE(marks);
  EXPECT_NEAR(marks->begin, 0.5, 1.5 * kStep);
  EXPECT_EQ(marks->from, 0.25);
  EXPECT_EQ(marks->to, 0.75);
  // The overshoot is exp(-pi·zeta/sqrt(1-zeta²)), at pi / damped frequency.
  EXPECT_NEAR(marks->overshoot(), 0.1630, 1e-4);
  EXPECT_NEAR(marks->peak->time, 0.5 + std::numbers::pi / damped, 2.0 * kStep);
  EXPECT_NEAR(marks->rise_time(), 1.6393 / kFrequency, kStep);  // for this damping
  // The same formula gives the last time at which the share is 2 % off.
  double settled = 0.0;
  for (double t = 0.0; t < 2.0; t += 1e-5) {
    settled = std::abs(share(t) - 1.0) > 0.02 ? t : settled;
  }
  EXPECT_NEAR(marks->settling_time(), settled, 2.0 * kStep);
  EXPECT_EQ(marks->text().find("rise 0.0819 s, overshoot 16 %, settled in 0."), 0u)
      << marks->text();
}

TEST(StepResponse, SaysWhatDidNotHappen) {
  const auto marks = response([](double t) { return 0.5 * (1.0 - std::exp(-t)); }).marks();
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->text(), "does not rise, overshoot 0 %, does not settle");
  EXPECT_TRUE(std::isnan(marks->rise_time()));
  EXPECT_TRUE(std::isnan(marks->settling_time()));
}

TEST(StepResponse, EndsWhereTheTargetChangesAgain) {
  StepResponse found(true);
  found.add(0.1, 0.0, 0.0);
  found.add(0.2, 0.5, 1.0);
  found.add(0.3, 0.6, 0.2);
  found.add(0.4, 2.0, 1.0);
  ASSERT_TRUE(found.marks());
  EXPECT_EQ(found.marks()->begin, 0.1);
  EXPECT_FALSE(found.marks()->peak) << "of the step that was";
}

TEST(StepResponse, BeginsWithTheRunWhereTheFirstTargetIsElsewhere) {
  for (const bool from_start : {true, false}) {
    StepResponse found(from_start);
    found.add(0.1, 0.25, 1.0);
    found.add(0.2, 0.9, 1.0);
    EXPECT_EQ(found.marks().has_value(), from_start);
  }
}

TEST(StepResponse, NeedsATarget) {
  StepResponse found(true);
  for (int n = 1; n < 10; ++n) {
    found.add(0.1 * n, 0.1 * n, kNone);
    found.add(0.1 * n + 0.05, kNone, 3.0);
  }
  EXPECT_FALSE(found.marks());
}

}  // namespace step_response_test
}  // namespace servosim::test
