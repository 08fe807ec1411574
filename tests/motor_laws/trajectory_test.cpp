// SPDX-License-Identifier: Apache-2.0
#include "motor_laws/trajectory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "servosim/velocity_controller.h"
#include "support/case_names.h"

namespace servosim::test {
namespace control_trajectory_test {

constexpr double kH = 0.001;
// The tests add a few thousand terms of about 100.
constexpr double kRounding = 1e-9;

Trajectory at(Trajectory t, double time, double h = kH) {
  for (int n = 0; n < std::lround(time / h); ++n) {
    t.advance(h);
  }
  return t;
}

TEST(Trajectory, OfMinimumJerkPassesThePublishedPoints) {
  const Trajectory t = Trajectory::minimum_jerk(0.0, 0.0, 30.0, 10.0);
  EXPECT_NEAR(at(t, 0.75).position(), 3.10546875, kRounding);
  EXPECT_NEAR(at(t, 1.5).position(), 15.0, kRounding);
  EXPECT_NEAR(at(t, 2.25).position(), 26.89453125, kRounding);
  EXPECT_NEAR(at(t, 1.5).velocity(), 18.75, kRounding);
  EXPECT_TRUE(at(t, 2.999).moving());
  EXPECT_FALSE(at(t, 3.0).moving());
  EXPECT_EQ(at(t, 3.0).position(), 30.0);
  EXPECT_EQ(at(t, 3.0).velocity(), 0.0);
}

TEST(Trajectory, OfMinimumJerkAcceleratesMostAtTwoInstants) {
  Trajectory t = Trajectory::minimum_jerk(0.0, 0.0, 30.0, 10.0);
  double most = 0.0;
  double when = 0.0;
  double v = 0.0;
  for (int n = 0; n < 1500; ++n) {
    t.advance(kH);
    const double a = (t.velocity() - v) / kH;
    v = t.velocity();
    when = a > most ? (n + 0.5) * kH : when;
    most = std::max(most, a);
  }
  EXPECT_NEAR(most, 5.7735 * 30.0 / 9.0, 1e-3);
  EXPECT_NEAR(when, 0.634, 2.0 * kH);
}

using Make = Trajectory (*)(double from, double velocity, double to);

struct Start {
  Make make;
  double velocity;
  double to;
};

// smooth() has the mean speed 10. ramped() has the peak speed 10 and the acceleration 25 per second
// squared.
Trajectory smooth(double from, double velocity, double to) {
  return Trajectory::minimum_jerk(from, velocity, to, 10.0);
}
Trajectory ramped(double from, double velocity, double to) {
  return Trajectory::trapezoid(from, velocity, to, 10.0, 25.0);
}

void PrintTo(const Start& start, std::ostream* out) {
  *out << case_name(fmt::format("{}_at_{}_to_{}", start.make == &ramped ? "Ramped" : "Smooth",
                                start.velocity, start.to));
}

class AnyStart : public testing::TestWithParam<Start> {};

// When the target changes, position and velocity are continuous.
TEST_P(AnyStart, IsContinuousAndEndsOnItsTarget) {
  const Start& start = GetParam();
  Trajectory t = start.make(4.0, start.velocity, start.to);
  double x = 4.0;
  double v = start.velocity;
  int steps = 0;
  while (t.moving()) {
    ASSERT_LT(++steps, 20000);
    const double v_before = v;
    t.advance(kH);
    v = t.velocity();
    // The acceleration of minimum jerk is bounded by about 6·(|D|/T² + 2|v|/T).
    const double way = std::abs(start.to - 4.0);
    const double most = start.make == &ramped
                            ? 25.0 + 1e-6
                            : 6.0 * (100.0 / way + 2.0 * std::abs(start.velocity) * 10.0 / way);
    ASSERT_LE(std::abs(v - v_before), most * kH * 1.01) << steps;
    // The mean of two velocities is the velocity of the step, except for its jerk.
    ASSERT_NEAR(t.position() - x, 0.5 * (v + v_before) * kH, 2.0 * most * kH * kH) << steps;
    x = t.position();
  }
  EXPECT_EQ(t.position(), start.to);
  EXPECT_EQ(t.velocity(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Trajectory, AnyStart,
                         testing::Values(Start{smooth, 0.0, 34.0}, Start{smooth, 7.0, 34.0},
                                         Start{smooth, -7.0, 34.0}, Start{smooth, 12.0, -21.0},
                                         Start{ramped, 0.0, 34.0}, Start{ramped, 0.0, 4.5},
                                         Start{ramped, 7.0, 34.0}, Start{ramped, 7.0, 5.5},
                                         Start{ramped, 7.0, 4.3}, Start{ramped, -7.0, 34.0},
                                         Start{ramped, -7.0, 4.1}, Start{ramped, 14.0, 34.0},
                                         Start{ramped, 14.0, -21.0}, Start{ramped, 3.0, 4.0}),
                         testing::PrintToStringParamName());

TEST(Trajectory, OfTrapezoidHasTheTimesOfItsFormula) {
  // It takes 0.4 s and a distance of 2 to reach 10, and the same to stop. The rest is at 10.
  const Trajectory t = ramped(0.0, 0.0, 30.0);
  EXPECT_NEAR(at(t, 0.2).velocity(), 5.0, kRounding);
  EXPECT_NEAR(at(t, 0.4).position(), 2.0, kRounding);
  EXPECT_NEAR(at(t, 1.0).position(), 8.0, kRounding);
  EXPECT_TRUE(at(t, 3.399).moving());
  EXPECT_FALSE(at(t, 3.4).moving());
  // Over a distance of 1 the peak is √(a·1) = 5, in the middle.
  EXPECT_NEAR(at(ramped(0.0, 0.0, 1.0), 0.2).velocity(), 5.0, kRounding);
  EXPECT_FALSE(at(ramped(0.0, 0.0, 1.0), 0.4).moving());
}

TEST(Trajectory, OfTrapezoidBrakesFirstIfItMovesAway) {
  // From −7 it takes 0.28 s and a distance of 0.98 to stop.
  EXPECT_NEAR(at(ramped(4.0, -7.0, 34.0), 0.28).position(), 4.0 - 0.98, kRounding);
  EXPECT_NEAR(at(ramped(4.0, -7.0, 34.0), 0.28).velocity(), 0.0, kRounding);
  // The stop takes a distance of 0.98, which is more than 0.3: it goes past the target and comes
  // back.
  EXPECT_NEAR(at(ramped(4.0, 7.0, 4.3), 0.28).position(), 4.98, kRounding);
}

TEST(Trajectory, OfConstantSpeedIsALine) {
  const Trajectory t = Trajectory::constant_speed(3.0, -4.0, 2.0);
  EXPECT_NEAR(at(t, 1.25).position(), 0.5, kRounding);
  EXPECT_NEAR(at(t, 1.25).velocity(), -2.0, kRounding);
  EXPECT_FALSE(at(t, 3.5).moving());
  EXPECT_EQ(at(t, 3.5).position(), -4.0);
}

TEST(Trajectory, ShorterThanAStepIsOverAfterIt) {
  for (Trajectory t : {smooth(4.0, 0.0, 4.001), smooth(4.0, 5.0, 4.0), ramped(4.0, 0.0, 4.0),
                       Trajectory::constant_speed(4.0, 4.001, 10.0)}) {
    t.advance(kH);
    EXPECT_FALSE(t.moving());
    EXPECT_EQ(t.position(), t.target());
  }
}

TEST(Trajectory, WithoutADistanceIsAtRest) {
  Trajectory t(2.5);
  EXPECT_FALSE(t.moving());
  t.advance(kH);
  EXPECT_EQ(t.position(), 2.5);
  EXPECT_EQ(t.velocity(), 0.0);
}

TEST(Approach, LandsExactly) {
  double v = 1.0;
  for (const double next : {0.3, -0.4, -1.1, -1.3, -1.3}) {
    v = detail::approach(v, -1.3, 0.7);
    EXPECT_DOUBLE_EQ(v, next);
  }
  EXPECT_EQ(v, -1.3);
}

}  // namespace control_trajectory_test
}  // namespace servosim::test
