// SPDX-License-Identifier: Apache-2.0
#include "motor_laws/backlash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace servosim {
namespace control_backlash_test {

constexpr double kH = 0.016;         // [s]
constexpr double kRounding = 1e-13;  // a few operations on numbers up to 100

TEST(Backlash, ItsSidesAreHalfThePlayFromTheShaftAtTheEndOfTheStep) {
  Backlash b{0.25, 0.75};
  const BacklashRows rows = move_shaft(b, {2.5, 6.0, 0.0}, 0.8125, 0.0, 0.0, kH);
  EXPECT_DOUBLE_EQ(b.shaft, 0.79);
  EXPECT_NEAR(rows.low, (0.79 - 0.125 - 0.8125) / kH, kRounding);
  EXPECT_NEAR(rows.high, (0.79 + 0.125 - 0.8125) / kH, kRounding);
  EXPECT_EQ(rows.max_force, 3.0) << "two of them make 6";
}

TEST(Backlash, SoftnessDoesNotMoveItsSides) {
  Backlash b{0.25, 0.75};
  const BacklashRows rows = move_shaft(b, {2.5, 6.0, 0.0}, 0.8125, 0.0, 0.002, kH);
  EXPECT_NEAR(rows.low, (0.79 - 0.125 - 0.8125) / kH - 0.006, kRounding);
  EXPECT_NEAR(rows.high, (0.79 + 0.125 - 0.8125) / kH + 0.006, kRounding);
}

TEST(Backlash, AMotorThatIsNotStrongerThanTheFrictionHasNoForce) {
  Backlash b{0.25, 0.75};
  EXPECT_EQ(move_shaft(b, {2.5, 6.0, 0.0}, 0.8125, 6.0, 0.002, kH).max_force, 0.0);
  EXPECT_EQ(move_shaft(b, {2.5, 6.0, 0.0}, 0.8125, 5.5, 0.002, kH).max_force, 3.0);
}

TEST(Backlash, AForceMovesTheShaftToTheSideThatPushes) {
  for (const double sign : {1.0, -1.0}) {
    Backlash b{0.25, 0.75};
    EXPECT_EQ(move_shaft(b, {0.0, 2.5, sign * 1.5}, 0.7, 2.5, 0.002, kH).max_force, 0.0);
    clamp_shaft(b, 0.71);
    EXPECT_DOUBLE_EQ(b.shaft, 0.71 + sign * 0.125);
  }
}

TEST(Backlash, TheShaftStaysWithinThePlay) {
  for (const auto& [shaft, kept] : {std::pair{0.75, 0.75}, {0.9, 0.825}, {0.5, 0.575}}) {
    Backlash b{0.25, shaft};
    clamp_shaft(b, 0.7);
    EXPECT_DOUBLE_EQ(b.shaft, kept);
  }
}

TEST(Backlash, HasTheSpeedOfAContactWithARestingEndpoint) {
  const Backlash b{0.25, 0.75};
  EXPECT_EQ(contact_speed(b, 0.7, kH), 0.0);
  EXPECT_NEAR(contact_speed(b, 0.6, kH), 0.025 / kH, kRounding);
  EXPECT_NEAR(contact_speed(b, 0.9, kH), 0.025 / kH, kRounding);
}

}  // namespace control_backlash_test
}  // namespace servosim
