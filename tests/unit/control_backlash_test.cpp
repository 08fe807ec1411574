// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "control/backlash.h"

namespace servosim {
namespace {

using Flank = Backlash::Flank;

constexpr double kH = 0.016;         // [s]
constexpr double kRounding = 1e-13;  // a few operations on numbers up to 100

Backlash play(double shaft, Flank flank = Flank::None) { return {0.25, shaft, 0.0, flank}; }

TEST(Backlash, TheShaftMovesAndTheNearerFlankWaits) {
  Backlash b = play(0.75);
  const JointDrive drive = take_up(b, {2.5, 6.0, 0.0}, {0.8125, -0.5, 0.0, 0.0, 0.0}, kH);
  EXPECT_DOUBLE_EQ(b.shaft, 0.79);
  EXPECT_EQ(b.flank, Flank::High) << "0.0225 ahead, and 0.008 less at the end of the step";
  EXPECT_NEAR(drive.velocity, (0.79 + 0.125 - 0.8125) / kH, kRounding);
  EXPECT_EQ(drive.max_force, 3.0);
  EXPECT_EQ(drive.force, -3.0) << "0 to -6 in all";
  EXPECT_EQ(b.push, -3.0);
}

TEST(Backlash, WhereTheEndpointWillBeDecides) {
  Backlash b = play(0.75);
  const JointDrive drive = take_up(b, {2.5, 6.0, 0.0}, {0.8125, -1.5, 0.0, 0.0, 0.0}, kH);
  EXPECT_EQ(b.flank, Flank::Low);
  EXPECT_NEAR(drive.velocity, (0.79 - 0.125 - 0.8125) / kH, kRounding);
  EXPECT_EQ(drive.force, 3.0);
}

TEST(Backlash, SoftnessIsTakenOutOfTheReach) {
  const double softness = 0.002;
  Backlash low = play(0.75);
  Backlash high = play(0.75);
  const double v_low = (0.79 - 0.125 - 0.7) / kH;
  const double v_high = (0.79 + 0.125 - 0.9) / kH;
  EXPECT_NEAR(take_up(low, {2.5, 6.0, 0.0}, {0.7, 0.5, 0.0, 0.0, softness}, kH).velocity,
              v_low - 3.0 * softness, kRounding);
  EXPECT_NEAR(take_up(high, {2.5, 6.0, 0.0}, {0.9, 0.5, 0.0, 0.0, softness}, kH).velocity,
              v_high + 3.0 * softness, kRounding);
}

// Braking a load it carries: by velocity alone it would be thought to fly ahead to the other flank.
TEST(Backlash, AFlankThatPushedStays) {
  Backlash b = play(0.75, Flank::Low);
  const PlayedJoint carried{0.625, 9.5, 1.5, 0.0, 0.0};
  take_up(b, {0.5, 6.0, 0.0}, carried, kH);
  EXPECT_EQ(b.flank, Flank::Low);
  for (const PlayedJoint& joint : {PlayedJoint{0.625, 9.5, -1.5, 0.0, 0.0},   // pulled: rounding
                                   PlayedJoint{0.64, 9.5, 1.5, 0.0, 0.0}}) {  // does not touch
    b = play(0.75, Flank::Low);
    take_up(b, {0.5, 6.0, 0.0}, joint, kH);
    EXPECT_EQ(b.flank, Flank::High);
  }
  b = play(0.75, Flank::High);
  take_up(b, {-0.5, 6.0, 0.0}, {0.875, -9.5, -1.5, 0.0, 0.0}, kH);
  EXPECT_EQ(b.flank, Flank::High);
}

TEST(Backlash, FrictionHoldsTheEndpointBetweenTheFlanks) {
  Backlash b = play(0.75);
  const JointDrive drive = take_up(b, {0.5, 6.0, 0.0}, {0.7, 1.5, 0.0, 2.5, 0.0}, kH);
  EXPECT_EQ(drive.velocity, 0.0);
  EXPECT_EQ(drive.max_force, 2.5);
  EXPECT_EQ(drive.force, 0.0);
  EXPECT_EQ(b.flank, Flank::None);
  EXPECT_DOUBLE_EQ(b.shaft, 0.758);
}

TEST(Backlash, FrictionGivesWayToAFlankInReach) {
  // The low flank gets to where the endpoint rests.
  Backlash b = play(0.75);
  EXPECT_EQ(take_up(b, {2.5, 6.0, 0.0}, {0.65, 0.0, 0.0, 2.5, 0.0}, kH).max_force, 3.0);
  EXPECT_EQ(b.flank, Flank::Low);
  // It flies towards the high flank faster than that goes away.
  b = play(0.75);
  EXPECT_EQ(take_up(b, {0.5, 6.0, 0.0}, {0.86, 2.5, 0.0, 2.5, 0.0}, kH).max_force, 3.0);
  EXPECT_EQ(b.flank, Flank::High);
  // It rests on the flank that carries it.
  b = play(0.75, Flank::Low);
  EXPECT_EQ(take_up(b, {0.0, 6.0, 0.0}, {0.625, 0.0, 1.5, 2.5, 0.0}, kH).max_force, 3.0);
  EXPECT_EQ(b.flank, Flank::Low);
}

TEST(Backlash, AForcePassesAndTakesTheShaftToItsFlank) {
  for (const double sign : {1.0, -1.0}) {
    Backlash b = play(0.75, Flank::Low);
    const JointDrive drive = take_up(b, {0.0, 2.5, sign * 1.5}, {0.7, 0.5, 0.0, 2.5, 0.002}, kH);
    EXPECT_EQ(drive.force, sign * 1.5);
    EXPECT_EQ(drive.max_force, 2.5);
    EXPECT_EQ(drive.velocity, 0.0);
    EXPECT_EQ(b.push, 0.0);
    settle(b, 0.71);
    EXPECT_DOUBLE_EQ(b.shaft, 0.71 + sign * 0.125);
  }
}

TEST(Backlash, TheShaftStaysWithinThePlay) {
  for (const auto& [shaft, kept] : {std::pair{0.75, 0.75}, {0.9, 0.825}, {0.5, 0.575}}) {
    Backlash b = play(shaft);
    settle(b, 0.7);
    EXPECT_DOUBLE_EQ(b.shaft, kept);
  }
}

TEST(Backlash, TellsHowFastItWouldMoveARestingEndpoint) {
  EXPECT_EQ(flank_speed(play(0.75), 0.7, kH), 0.0);
  EXPECT_NEAR(flank_speed(play(0.75), 0.6, kH), 0.025 / kH, kRounding);
  EXPECT_NEAR(flank_speed(play(0.75), 0.9, kH), 0.025 / kH, kRounding);
}

// The push cancels against the row but for rounding, which must not be felt.
TEST(Backlash, HugeForcesAreBounded) {
  Backlash b = play(0.75);
  const JointDrive drive = take_up(b, {0.0, 1e18, 0.0}, {0.7, 0.0, 0.0, 0.0, 0.0}, kH);
  EXPECT_EQ(drive.max_force, 5e8);
  EXPECT_EQ(drive.force, 5e8);
}

}  // namespace
}  // namespace servosim
