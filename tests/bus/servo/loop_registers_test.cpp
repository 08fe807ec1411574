// SPDX-License-Identifier: Apache-2.0
// Registers of gains and of the shape of the position loop, seen at a shaft that does not turn: the
// output is then the one of the law.
#include <gtest/gtest.h>

#include "bus/servo/bus_rig.h"

namespace servosim::bus {
namespace {

namespace loop_registers_test {

using test::BusRig;

// The output is P/128·e and I/65536·e in each millisecond.
TEST(BusLoopRegisters, VelocityGainsAreThoseOfTheVelocityMode) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.get("Velocity P Gain"), 100);
  EXPECT_EQ(rig.set("Velocity P Gain", 130), 0);
  EXPECT_EQ(rig.set("Velocity I Gain", 200), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Velocity", 90), 0);
  rig.step(0.001);
  EXPECT_NEAR(rig.get("Present PWM"), 90 * 130 / 128.0, 2.0);
  rig.step(0.5);
  EXPECT_NEAR(rig.get("Present PWM"), 90 * 130 / 128.0 + 500 * 90 * 200 / 65536.0, 2.0);
  EXPECT_EQ(rig.set("Goal Velocity", -90), 0);
  rig.step(0.5);
  EXPECT_NEAR(rig.get("Present PWM"), -90 * 130 / 128.0, 3.0);  // the sum is gone again
  // A servo that is free reaches its goal by the sum alone.
  BusRig free("XM430-W350");
  EXPECT_EQ(free.set("Operating Mode", 1), 0);
  EXPECT_EQ(free.set("Velocity P Gain", 0), 0);
  EXPECT_EQ(free.set("Torque Enable", 1), 0);
  EXPECT_EQ(free.set("Goal Velocity", 60), 0);
  free.step(4.0);
  double mean = 0.0;
  for (int i = 0; i < 436; ++i) {  // a turn, in which the weight adds up to nothing
    free.step(0.01);
    mean += static_cast<double>(free.get("Present Velocity")) / 436.0;
  }
  EXPECT_NEAR(mean, 60.0, 1.5);
}

TEST(BusLoopRegisters, AChoiceHasNoVelocityLoop) {
  BusChoices choices;
  choices.firmware.velocity_period = 0.0;
  BusRig rig("XM430-W350", 1, "", std::nullopt, choices);
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.set("Velocity P Gain", 0), 0);
  EXPECT_EQ(rig.set("Velocity I Gain", 0), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Velocity", 90), 0);
  rig.step(1.0);
  EXPECT_NEAR(rig.get("Present Velocity"), 90, 10);
}

// The output rises from the punch at the end of the margin to all of it over the slope.
TEST(BusLoopRegisters, ComplianceOfAxHasTwoSides) {
  BusRig rig("AX-12A");
  rig.bench().block(true);
  const auto load = [&](std::int64_t goal) {
    EXPECT_EQ(rig.set("Goal Position", goal), 0);
    rig.step(0.02);
    return static_cast<double>(rig.get("Present Load"));
  };
  const auto expected = [](double error, double margin, double slope, double punch) {
    return punch + (error - margin) / slope * (1023.0 - punch);
  };
  ASSERT_EQ(rig.get("Present Position"), 512);
  EXPECT_NEAR(load(530), expected(18, 1, 32, 32), 3.0);
  EXPECT_NEAR(load(494), -expected(18, 1, 32, 32), 3.0);
  EXPECT_EQ(rig.set("CCW Compliance Slope", 70), 0);  // counts as 64
  EXPECT_EQ(rig.set("CW Compliance Margin", 5), 0);
  EXPECT_NEAR(load(530), expected(18, 1, 64, 32), 3.0);
  EXPECT_NEAR(load(494), -expected(18, 5, 32, 32), 3.0);
  EXPECT_EQ(rig.set("Punch", 232), 0);
  EXPECT_NEAR(load(530), expected(18, 1, 64, 232), 3.0);
  EXPECT_EQ(rig.set("CCW Compliance Margin", 20), 0);
  EXPECT_EQ(load(530), 0.0);
}

TEST(BusLoopRegisters, DeadZoneAndStartupForceOfSts) {
  BusRig rig("STS3215");
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  const auto load = [&](std::int64_t goal) {
    EXPECT_EQ(rig.set("Goal Position", goal), 0);
    rig.step(0.2);
    return rig.get("Present Load");
  };
  const std::int64_t here = rig.get("Present Position");
  const std::int64_t up = load(here + 6);
  EXPECT_GT(up, 0);
  EXPECT_LT(up, 100);
  EXPECT_EQ(load(here - 6), -up);
  EXPECT_EQ(rig.set("CCW Dead Zone", 10), 0);
  EXPECT_EQ(load(here + 6), 0);
  EXPECT_EQ(load(here - 6), -up);
  EXPECT_EQ(rig.set("CW Dead Zone", 10), 0);
  EXPECT_EQ(load(here - 6), 0);
  EXPECT_EQ(rig.set("CCW Dead Zone", 1), 0);
  EXPECT_EQ(rig.set("Minimum Startup Force", 216), 0);  // 20 % more
  EXPECT_EQ(load(here + 6), 200);
}

}  // namespace loop_registers_test

}  // namespace
}  // namespace servosim::bus
