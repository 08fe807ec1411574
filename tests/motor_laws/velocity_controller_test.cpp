// SPDX-License-Identifier: Apache-2.0
// The test steps each branch of the motor's two laws.
#include "servosim/velocity_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace servosim {
namespace control_velocity_controller_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kH = 0.016;
constexpr double kFree = -1.0;  // acceleration without a bound

TEST(VelocityController, IsProportionalToTheError) {
  VelocityController law;
  EXPECT_DOUBLE_EQ(law.track(0.9, 0.4, 20.0, kFree, {7.0, 0.0, 0.0}, kH), 7.0 * 0.5);
  EXPECT_DOUBLE_EQ(law.velocity(), 3.5);
}

TEST(VelocityController, SumsTheErrorBeforeUsingIt) {
  VelocityController law;
  const PidGains gains{2.0, 30.0, 0.0};
  double integral = 0.0;
  for (const double position : {0.25, 0.5, 1.25}) {
    const double error = 0.75 - position;
    integral += error * kH;
    EXPECT_DOUBLE_EQ(law.track(0.75, position, 50.0, kFree, gains, kH),
                     2.0 * error + 30.0 * integral);
  }
}

// A shrinking error slows the joint down. This is the sign of Webots' program, not of its manual.
TEST(VelocityController, DampsByTheErrorRate) {
  VelocityController law;
  const PidGains gains{2.0, 0.0, 0.125};
  const double first = law.track(0.75, 0.25, 50.0, kFree, gains, kH);
  EXPECT_DOUBLE_EQ(first, 2.0 * 0.5 + 0.125 * 0.5 / kH) << "the first error comes from 0";
  const double second = law.track(0.75, 0.5, 50.0, kFree, gains, kH);
  EXPECT_DOUBLE_EQ(second, 2.0 * 0.25 - 0.125 * 0.25 / kH);
  EXPECT_LT(second, 2.0 * 0.25);
}

TEST(VelocityController, ANewTargetKeepsTheIntegral) {
  VelocityController law;
  const PidGains gains{2.0, 30.0, 0.0};
  law.track(0.75, 0.25, 50.0, kFree, gains, kH);
  EXPECT_DOUBLE_EQ(law.track(-0.5, 0.25, 50.0, kFree, gains, kH),
                   2.0 * -0.75 + 30.0 * kH * (0.5 - 0.75));
}

TEST(VelocityController, ForgetsErrorsOnlyWhenTold) {
  VelocityController law;
  const PidGains gains{2.0, 30.0, 0.125};
  law.track(0.75, 0.25, 50.0, kFree, gains, kH);
  law.clear_errors();
  VelocityController fresh;
  EXPECT_EQ(law.track(0.75, 0.125, 50.0, kFree, gains, kH),
            fresh.track(0.75, 0.125, 50.0, kFree, gains, kH));
}

TEST(VelocityController, IsBoundedByTheSpeedWhateverItsSign) {
  for (const double speed : {0.3, -0.3}) {
    VelocityController law;
    EXPECT_EQ(law.track(4.0, 0.5, speed, kFree, {7.0, 0.0, 0.0}, kH), 0.3);
    EXPECT_EQ(law.track(-4.0, 0.5, speed, kFree, {7.0, 0.0, 0.0}, kH), -0.3);
  }
}

TEST(VelocityController, AnInfiniteTargetMeansTheSpeedItself) {
  VelocityController law;
  EXPECT_EQ(law.track(kInf, 0.5, -0.7, kFree, {7.0, 2.0, 3.0}, kH), -0.7);
  EXPECT_EQ(law.track(-kInf, 0.5, -0.7, kFree, {7.0, 2.0, 3.0}, kH), -0.7);
  EXPECT_EQ(law.track(-kInf, 0.5, 0.6, kFree, {7.0, 2.0, 3.0}, kH), 0.6);
}

TEST(VelocityController, AnInfiniteTargetLeavesTheErrorsAlone) {
  const PidGains gains{2.0, 30.0, 0.125};
  VelocityController law;
  VelocityController twin;
  law.track(0.75, 0.25, 50.0, kFree, gains, kH);
  twin.track(0.75, 0.25, 50.0, kFree, gains, kH);
  law.track(kInf, 0.3, 5.0, kFree, gains, kH);
  EXPECT_EQ(law.track(0.75, 0.375, 50.0, kFree, gains, kH),
            twin.track(0.75, 0.375, 50.0, kFree, gains, kH));
}

TEST(VelocityController, AcceleratesByStepsAndArrivesExactly) {
  VelocityController law;
  const double a = 2.5;
  for (int n = 1; n <= 4; ++n) {
    EXPECT_DOUBLE_EQ(law.track(kInf, 0.0, 0.18, a, {}, kH), std::min(0.18, n * a * kH)) << n;
  }
  EXPECT_EQ(law.track(kInf, 0.0, 0.18, a, {}, kH), 0.18);
  EXPECT_DOUBLE_EQ(law.track(kInf, 0.0, -0.5, a, {}, kH), 0.18 - a * kH) << "and slows likewise";
}

TEST(VelocityController, NoAccelerationFreezesTheVelocity) {
  VelocityController law;
  law.track(kInf, 0.0, 0.4, kFree, {}, kH);
  EXPECT_EQ(law.track(5.0, 0.2, 3.0, 0.0, {7.0, 1.0, 0.5}, kH), 0.4);
  EXPECT_EQ(law.track(kInf, 0.2, -3.0, 0.0, {}, kH), 0.4);
}

TEST(VelocityController, StopForgetsTheVelocityOnly) {
  const PidGains gains{2.0, 30.0, 0.0};
  VelocityController law;
  law.track(0.75, 0.25, 50.0, kFree, gains, kH);
  law.stop();
  EXPECT_EQ(law.velocity(), 0.0);
  EXPECT_DOUBLE_EQ(law.track(0.75, 0.25, 50.0, kFree, gains, kH), 2.0 * 0.5 + 30.0 * kH * 1.0);
}

TEST(VelocityController, NeverReturnsNaN) {
  const PidGains wild[] = {{kInf, 0, 0}, {3, kInf, kInf}, {3, 1e308, 1e308}, {1e308, kInf, 0}};
  for (const PidGains& gains : wild) {
    VelocityController law;
    for (const double target : {0.5, 0.25, 1e300, -1e300, 0.25}) {
      const double v = law.track(target, 0.25, 3.0, kFree, gains, kH);
      EXPECT_LE(std::abs(v), 3.0) << gains.p << ' ' << gains.i << ' ' << gains.d;
    }
  }
}

TEST(Move, GoesNoFurtherThanTheTarget) {
  VelocityController law;
  const double a = 1e9;  // reaches full speed in one step
  EXPECT_DOUBLE_EQ(law.move(0.5, 0.25, 3.0, a, kH), 0.25 + 3.0 * kH);
  EXPECT_EQ(law.move(0.5, 0.49, 3.0, a, kH), 0.5);
  EXPECT_DOUBLE_EQ(law.move(-0.5, 0.25, 3.0, a, kH), 0.25 - 3.0 * kH);
  EXPECT_EQ(law.move(-0.5, -0.49, 3.0, a, kH), -0.5);
}

TEST(Move, TheSignOfAnInfiniteTargetIsTheDirection) {
  VelocityController law;
  EXPECT_DOUBLE_EQ(law.move(kInf, 0.25, 3.0, 1e9, kH), 0.25 + 3.0 * kH);
  EXPECT_DOUBLE_EQ(law.move(-kInf, 0.25, 3.0, 1e9, kH), 0.25 - 3.0 * kH);
  EXPECT_DOUBLE_EQ(law.move(-kInf, 0.25, -3.0, 1e9, kH), 0.25 + 3.0 * kH);
}

TEST(Move, AcceleratesAndDoesNotSlowBeforeTheTarget) {
  VelocityController law;
  double position = 0.25;
  double p = 0.25;
  double v = 0.0;
  for (int n = 0; n < 60; ++n) {
    v = std::min(0.9, v + 1.75 * kH);
    p = std::min(p + v * kH, 0.6);
    position = law.move(0.6, position, 0.9, 1.75, kH);
    ASSERT_NEAR(position, p, 1e-14) << n;  // the order of additions differs
  }
  EXPECT_EQ(position, 0.6);
  EXPECT_DOUBLE_EQ(law.velocity(), 0.9) << "still at full speed";
}

TEST(Move, WithoutAccelerationKeepsItsVelocity) {
  VelocityController law;
  law.move(kInf, 0.25, 3.0, 1e9, kH);
  EXPECT_DOUBLE_EQ(law.move(kInf, 0.25, 8.0, 0.0, kH), 0.25 + 3.0 * kH);
}

}  // namespace control_velocity_controller_test
}  // namespace servosim
