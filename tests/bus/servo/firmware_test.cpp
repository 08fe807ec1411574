// SPDX-License-Identifier: Apache-2.0
// What registers make a servo on its bench do, and what they say of it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bus/servo/bus_rig.h"

namespace servosim::bus {
namespace {

namespace firmware_test {

using test::BusRig;

constexpr double kPi = std::numbers::pi;

TEST(BusFirmware, MovesToItsGoalInEveryFamily) {
  struct Case {
    const char* model;
    const char* servo;
    std::int64_t goal;
    double position;  // [rad]
    std::int64_t tolerance;
  };
  for (const Case& each :
       {Case{"XM430-W350", "", 3072, kPi / 2, 30},
        Case{"XL330-M288", "XL330-M288-T", 1024, -kPi / 2, 60},
        Case{"AX-12A", "", 712, 200 * 300.0 / 1024 * kPi / 180, 12},
        Case{"MX-106", "", 3072, kPi / 2, 60}, Case{"STS3215", "", 3072, kPi / 2, 40},
        Case{"XL-320", "", 712, 200 * 300.0 / 1024 * kPi / 180, 20},
        Case{"PH54-200-S500", "", 250961, kPi / 2, 9000},
        Case{"SCS0009", "", 712, 200 * 300.0 / 1024 * kPi / 180, 12}}) {
    SCOPED_TRACE(each.model);
    BusRig rig(each.model, 1, each.servo);
    EXPECT_EQ(rig.set("Torque Enable", 1), 0);
    EXPECT_EQ(rig.set("Goal Position", each.goal), 0);
    rig.step(3.0);
    EXPECT_NEAR(rig.get("Present Position"), each.goal, each.tolerance);
    EXPECT_NEAR(rig.bench().sense().position, each.position, 0.1);
    EXPECT_EQ(rig.get("Moving"), 0);
  }
}

TEST(BusFirmware, DoesNotMoveWithoutTorque) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Goal Position", 3072), 0);
  rig.step(0.5);
  EXPECT_EQ(rig.get("Present Position"), 2048);
  // Torque that comes on holds what is, unless chosen otherwise.
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.get("Goal Position"), 2048);
  BusChoices choices;
  choices.firmware.keeps_goal = true;
  BusRig keeps("XM430-W350", 1, "", std::nullopt, choices);
  EXPECT_EQ(keeps.set("Goal Position", 3072), 0);
  EXPECT_EQ(keeps.set("Torque Enable", 1), 0);
  keeps.step(3.0);
  EXPECT_NEAR(keeps.get("Present Position"), 3072, 30);
}

TEST(BusFirmware, FollowsAProfileOfVelocityAndOfTime) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Profile Velocity", 50), 0);  // 11.45 rpm
  EXPECT_EQ(rig.set("Goal Position", 3072), 0);
  rig.step(0.5);
  EXPECT_NEAR(rig.get("Velocity Trajectory"), 50, 1);
  // t = 64·Δ/PV ms for 1024 counts is 1.31 s.
  EXPECT_NEAR(rig.get("Position Trajectory"), 2048 + 1024 * 0.5 / 1.311, 12);
  EXPECT_EQ(rig.get("Moving Status") & 0x33, 0x12);  // a rectangle that goes on
  rig.step(1.5);
  EXPECT_EQ(rig.get("Position Trajectory"), 3072);
  EXPECT_EQ(rig.get("Moving Status") & 0x02, 0);
  EXPECT_EQ(rig.set("Torque Enable", 0), 0);
  rig.step(0.001);
  EXPECT_EQ(rig.set("Drive Mode", 4), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Profile Velocity", 1000), 0);  // [ms]
  EXPECT_EQ(rig.set("Profile Acceleration", 250), 0);
  const auto begin = static_cast<double>(rig.get("Goal Position"));
  EXPECT_EQ(rig.set("Goal Position", 2048), 0);
  rig.step(0.5);
  EXPECT_NEAR(static_cast<double>(rig.get("Position Trajectory")), (begin + 2048) / 2, 12);
  EXPECT_EQ(rig.get("Moving Status") & 0x32, 0x32);  // a trapezoid
  rig.step(0.52);
  EXPECT_EQ(rig.get("Position Trajectory"), 2048);
}

TEST(BusFirmware, HasTheModesOfVelocityCurrentAndPwm) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Velocity", -100), 0);
  rig.step(1.0);
  EXPECT_NEAR(rig.get("Present Velocity"), -100, 12);
  EXPECT_EQ(rig.get("Moving"), 1);
  EXPECT_EQ(rig.set("Goal Velocity", 201), 0x06);  // the limit is 200
  EXPECT_EQ(rig.set("Torque Enable", 0), 0);

  EXPECT_EQ(rig.set("Operating Mode", 16), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal PWM", 443), 0);
  rig.step(0.5);
  EXPECT_NEAR(rig.get("Present PWM"), 443, 1);
  EXPECT_GT(rig.get("Present Velocity"), 50);
  EXPECT_EQ(rig.set("Torque Enable", 0), 0);

  EXPECT_EQ(rig.set("Operating Mode", 0), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Current", -200), 0);
  rig.step(0.1);
  EXPECT_NEAR(rig.get("Present Current"), -200, 2);
  BusRig xl("XL430-W250");
  EXPECT_EQ(xl.set("Operating Mode", 0), 0x04);  // it has no such mode
}

TEST(BusFirmware, BoundsTheCurrentInItsMode) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Operating Mode", 5), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Current", 100), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 20000), 0);  // several turns
  rig.step(0.2);
  EXPECT_NEAR(rig.get("Present Current"), 100, 2);
}

TEST(BusFirmware, AModeResetsWhatBelongsToIt) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Position P Gain", 5), 0);
  EXPECT_EQ(rig.set("Profile Velocity", 6), 0);
  EXPECT_EQ(rig.set("Goal PWM", 7), 0);
  EXPECT_EQ(rig.set("Goal Current", 8), 0);
  EXPECT_EQ(rig.set("Operating Mode", 4), 0);
  EXPECT_EQ(rig.get("Position P Gain"), 800);
  EXPECT_EQ(rig.get("Profile Velocity"), 0);
  EXPECT_EQ(rig.get("Goal PWM"), 885);
  EXPECT_EQ(rig.get("Goal Current"), 1193);
}

TEST(BusFirmware, HomingAndReverseShiftAndMirrorPositions) {
  BusRig rig("XM430-W350");
  rig.bench().put(0.5);
  const std::int64_t here = rig.get("Present Position");
  EXPECT_EQ(here, 2048 + std::lround(0.5 * 4096 / (2 * kPi)));
  EXPECT_EQ(rig.set("Homing Offset", 2047 - here), 0);
  EXPECT_EQ(rig.get("Present Position"), 2047);
  EXPECT_EQ(rig.set("Homing Offset", 0), 0);
  EXPECT_EQ(rig.set("Drive Mode", 1), 0);
  EXPECT_EQ(rig.get("Present Position"), 4096 - here);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Position", 1024), 0);
  rig.step(3.0);
  EXPECT_NEAR(rig.bench().sense().position, kPi / 2, 0.05);
  EXPECT_NEAR(rig.get("Present Position"), 1024, 30);
}

TEST(BusFirmware, CountsTurnsUntilTheyAreCleared) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Operating Mode", 4), 0);
  rig.bench().put(5.0 * kPi);
  EXPECT_EQ(rig.get("Present Position"), 2048 + 10240);
  const auto cleared = rig.ask_one({Instruction::Clear, 1, {}, {0x01, 0x44, 0x58, 0x4C, 0x22}});
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->code, 0);
  EXPECT_EQ(rig.get("Present Position"), 0);
  const auto errors = rig.ask_one({Instruction::Clear, 1, {}, {0x02, 0x45, 0x52, 0x43, 0x4C}});
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->code, 0x01);
}

TEST(BusFirmware, LimitsOfThePositionHoldInItsModeAlone) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Max Position Limit", 3000), 0);
  EXPECT_EQ(rig.set("Goal Position", 3001), 0x06);
  EXPECT_EQ(rig.set("Goal Position", 2000000), 0x04);
  EXPECT_EQ(rig.set("Operating Mode", 4), 0);
  EXPECT_EQ(rig.set("Goal Position", 3001), 0);
}

TEST(BusFirmware, TheWatchdogStopsTheServo) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.set("Bus Watchdog", 5), 0);  // 100 ms
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Velocity", 100), 0);
  rig.step(0.05);
  EXPECT_EQ(rig.get("Bus Watchdog"), 5);
  rig.step(0.2);
  EXPECT_EQ(rig.get("Bus Watchdog"), -1);
  EXPECT_EQ(rig.get("Goal Velocity"), 0);
  EXPECT_EQ(rig.set("Goal Velocity", 100), 0x04);
  EXPECT_EQ(rig.set("Bus Watchdog", 0), 0);
  EXPECT_EQ(rig.set("Goal Velocity", 100), 0);
}

TEST(BusFirmware, AnOverloadEndsTheTorqueOfADynamixelUntilAReboot) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 4000), 0);
  rig.step(1.5);
  EXPECT_EQ(rig.get("Hardware Error Status"), 0);
  rig.step(1.0);
  const auto status = rig.read(70, 1);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0x80);
  EXPECT_EQ(status->parameters, Octets{0x20});
  EXPECT_EQ(rig.get("Torque Enable"), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0x80);
  EXPECT_EQ(rig.get("Torque Enable"), 0);
  EXPECT_EQ(rig.ask({Instruction::Reboot, 1, {}, {}}).size(), 1U);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.get("Torque Enable"), 1);
}

TEST(BusFirmware, HeatAndVoltageAreErrorsByTheRegisters) {
  BusRig rig("XM430-W350");
  rig.bench().set_temperature(79.0);
  rig.step(0.01);
  EXPECT_EQ(rig.get("Hardware Error Status"), 0);
  EXPECT_EQ(rig.get("Present Temperature"), 79);
  EXPECT_EQ(rig.set("Temperature Limit", 78), 0);
  rig.step(0.01);
  EXPECT_EQ(rig.get("Hardware Error Status"), 0x04);
  BusRig xl("XL330-M288", 1, "XL330-M288-T");
  EXPECT_EQ(xl.set("Torque Enable", 1), 0);
  xl.bench().set_voltage(3.2);
  xl.step(0.01);
  EXPECT_EQ(xl.get("Present Input Voltage"), 32);
  EXPECT_EQ(xl.get("Hardware Error Status"), 0x01);
  EXPECT_EQ(xl.get("Torque Enable"), 0);  // its shutdown mask has this bit
  rig.bench().set_temperature(25.0);
  rig.step(0.01);
  EXPECT_EQ(rig.get("Hardware Error Status"), 0x04);  // it stays
}

TEST(BusFirmware, AnOverloadOfStsLeavesTheProtectiveTorque) {
  BusRig rig("STS3215");
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 4000), 0);
  rig.step(1.5);
  EXPECT_EQ(rig.ping(1)->code, 0);
  EXPECT_GT(rig.get("Present Load"), 900);
  rig.step(1.0);
  EXPECT_EQ(rig.ping(1)->code, 0x20);
  EXPECT_EQ(rig.get("Status"), 0x20);
  EXPECT_EQ(rig.get("Torque Enable"), 1);
  EXPECT_NEAR(rig.get("Present Load"), 200, 10);
  // The way back has all of the torque; the bit stays.
  EXPECT_EQ(rig.set("Goal Position", 100), 0x20);
  rig.step(1.0);  // its goal moves with its greatest speed
  EXPECT_LT(rig.get("Present Load"), -900);
  rig.at(0).restart();
  EXPECT_EQ(rig.ping(1)->code, 0);
}

// The raw turn ends at 4096 counts of the sensor, that of the register elsewhere.
TEST(BusFirmware, StsGoesToAGoalAcrossTheRawTurn) {
  for (const std::int64_t offset : {1000, -1000}) {
    BusRig rig("STS3215");
    EXPECT_EQ(rig.set("Homing Offset", offset), 0);
    EXPECT_EQ(rig.set("Torque Enable", 1), 0);
    const std::int64_t begin = rig.get("Present Position");
    EXPECT_EQ(begin, 2048 - offset);
    const std::int64_t goal = offset > 0 ? 4000 : 100;
    EXPECT_EQ(rig.set("Goal Position", goal), 0);
    rig.step(0.5);
    const std::int64_t way = rig.get("Present Position") - begin;
    EXPECT_GT(offset > 0 ? way : -way, 100);
    rig.step(3.0);
    EXPECT_NEAR(rig.get("Present Position"), goal, 40);
    EXPECT_NEAR(rig.bench().sense().position, static_cast<double>(goal - begin) * 2 * kPi / 4096,
                0.1);
    // And back again.
    EXPECT_EQ(rig.set("Goal Position", begin), 0);
    rig.step(3.5);
    EXPECT_NEAR(rig.bench().sense().position, 0.0, 0.1);
  }
}

TEST(BusFirmware, StsProtectsFromEachOverload) {
  BusRig rig("STS3215");
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 4000), 0);
  rig.step(3.0);
  EXPECT_NEAR(rig.get("Present Load"), 200, 10);
  EXPECT_EQ(rig.set("Goal Position", 100), 0x20);
  rig.step(4.0);
  EXPECT_NEAR(rig.get("Present Load"), -200, 10);
}

TEST(BusFirmware, AFreeWheelOfStsIsNotOverloaded) {
  for (const bool counts : {false, true}) {
    BusChoices choices;
    choices.firmware.overload_in_motion = counts;
    BusRig rig("STS3215", 1, "", std::nullopt, choices);
    EXPECT_EQ(rig.set("Operating Mode", 1), 0);
    EXPECT_EQ(rig.set("Torque Enable", 1), 0);
    EXPECT_EQ(rig.set("Goal Velocity", 10000), 0);
    rig.step(4.0);
    EXPECT_EQ(rig.ping(1)->code, counts ? 0x20 : 0);
    EXPECT_EQ(rig.get("Present Velocity") > 2000, !counts);
  }
}

TEST(BusFirmware, PhaseOfStsSaysTheUnitOfSpeed) {
  BusRig rig("STS3215");
  EXPECT_EQ(rig.set("Phase", 8), 0);  // without bit 2 a count is 0.732 rpm
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Velocity", 12), 0);
  rig.step(1.0);
  EXPECT_NEAR(rig.bench().sense().velocity, 12 * 0.732 * kPi / 30, 0.1);
  EXPECT_NEAR(rig.get("Present Velocity"), 12, 1);
}

TEST(BusFirmware, ScsHasItsMaxTorque) {
  BusRig rig("SCS0009");
  EXPECT_EQ(rig.set("Max Torque Limit", 300), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 1000), 0);
  rig.step(0.5);
  EXPECT_NEAR(rig.get("Present Load"), 300, 10);
}

TEST(BusFirmware, AnOverloadOfAxEndsItsTorqueLimit) {
  BusRig rig("AX-12A");
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 1000), 0);  // this switches the torque on
  EXPECT_EQ(rig.get("Torque Enable"), 1);
  rig.step(2.5);
  EXPECT_EQ(rig.ping(1)->code, 0x20);
  EXPECT_EQ(rig.get("Torque Limit"), 0);
  rig.bench().block(false);
  rig.set("Torque Limit", 1023);
  EXPECT_EQ(rig.ping(1)->code, 0);
  rig.step(1.0);
  EXPECT_GT(rig.get("Present Position"), 900);
}

TEST(BusFirmware, ATorqueLimitOfAxRevivesByChoiceAlone) {
  BusChoices choices;
  choices.firmware.torque_limit_revives = false;
  BusRig rig("AX-12A", 1, "", std::nullopt, choices);
  rig.bench().block(true);
  rig.set("Goal Position", 1000);
  rig.step(2.5);
  rig.bench().block(false);
  EXPECT_EQ(rig.set("Torque Limit", 1023), 0x20);
  EXPECT_EQ(rig.get("Torque Limit"), 0);
  rig.at(0).restart();
  EXPECT_EQ(rig.get("Torque Limit"), 1023);
  EXPECT_EQ(rig.ping(1)->code, 0);
}

TEST(BusFirmware, ChoicesOfFeetechSayHowItsTorqueEnds) {
  BusChoices choices;
  choices.firmware.overload_unloads = true;
  choices.firmware.middle_ends_torque = true;
  BusRig rig("STS3215", 1, "", std::nullopt, choices);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Torque Enable", 128), 0);
  EXPECT_EQ(rig.get("Torque Enable"), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  rig.bench().block(true);
  EXPECT_EQ(rig.set("Goal Position", 4000), 0);
  rig.step(2.5);
  EXPECT_EQ(rig.ping(1)->code, 0x20);
  EXPECT_EQ(rig.get("Torque Enable"), 0);
  BusRig usual("STS3215");
  EXPECT_EQ(usual.set("Torque Enable", 1), 0);
  EXPECT_EQ(usual.set("Torque Enable", 128), 0);
  EXPECT_EQ(usual.get("Torque Enable"), 1);
}

TEST(BusFirmware, StsCalibratesItsMiddleAsLerobotDoes) {
  BusRig rig("STS3215");
  rig.bench().put(-1.0);
  EXPECT_EQ(rig.set("Lock", 0), 0);
  const std::int64_t here = rig.get("Present Position");
  EXPECT_EQ(here, 2048 - std::lround(4096 / (2 * kPi)));
  EXPECT_EQ(rig.set("Homing Offset", here - 2047), 0);
  EXPECT_EQ(rig.get("Present Position"), 2047);
  EXPECT_EQ(rig.set("Torque Enable", 128), 0);
  EXPECT_EQ(rig.get("Present Position"), 2048);
  EXPECT_EQ(rig.get("Torque Enable"), 0);
  rig.at(0).restart();
  EXPECT_EQ(rig.get("Present Position"), 2048);  // the offset is stored
}

TEST(BusFirmware, StsHasSpeedPwmAndSteps) {
  BusRig rig("STS3215");
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Goal Velocity", -600), 0);
  rig.step(1.0);
  EXPECT_NEAR(rig.get("Present Velocity"), -600, 60);
  // −600 is the magnitude with bit 15.
  EXPECT_EQ(rig.read(46, 2)->parameters, (Octets{600 & 0xFF, (600 >> 8) | 0x80}));
  EXPECT_EQ(rig.set("Operating Mode", 2), 0);
  EXPECT_EQ(rig.set("Goal Time", 300), 0);
  rig.step(0.3);
  EXPECT_NEAR(rig.get("Present Load"), 300, 2);
  EXPECT_EQ(rig.set("Operating Mode", 3), 0);
  rig.step(1.0);
  const std::int64_t begin = rig.get("Present Position");
  EXPECT_EQ(rig.set("Goal Velocity", 1000), 0);
  EXPECT_EQ(rig.set("Goal Position", -300), 0);
  rig.step(1.5);
  EXPECT_NEAR(rig.get("Present Position"), (begin - 300 + 4096) % 4096, 40);
}

TEST(BusFirmware, ScsHasBigEndianWordsAndTimes) {
  BusRig rig("SCS0009");
  EXPECT_EQ(rig.read(56, 2)->parameters, (Octets{0x02, 0x00}));
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  // Goal 712 in 800 ms, as one block.
  EXPECT_EQ(rig.write(42, {0x02, 0xC8, 0x03, 0x20, 0, 0}), 0);
  rig.step(0.4);
  EXPECT_NEAR(rig.get("Present Position"), 612, 45);
  rig.step(1.5);
  EXPECT_NEAR(rig.get("Present Position"), 712, 12);
}

// Its sensor is blind for 60°, where it says 0 or 1023.
TEST(BusFirmware, AxFindsItsWayFromOutsideOfItsSensor) {
  for (const double begin : {175.0, -170.0}) {
    BusRig rig("AX-12A");
    rig.bench().put(begin * kPi / 180);
    EXPECT_EQ(rig.get("Present Position"), begin > 0 ? 1023 : 0);
    EXPECT_EQ(rig.set("Goal Position", 512), 0);
    rig.step(0.4);
    EXPECT_EQ(rig.set("LED", 1), 0);  // another register leaves the goal where it is
    rig.step(3.0);
    EXPECT_NEAR(rig.bench().sense().position, 0.0, 0.06);
  }
}

TEST(BusFirmware, Mx106HasAReverseMode) {
  BusRig rig("MX-106");
  rig.bench().put(0.5);
  const std::int64_t here = rig.get("Present Position");
  EXPECT_EQ(rig.set("Drive Mode", 1), 0);
  EXPECT_EQ(rig.get("Present Position"), 4096 - here);
  EXPECT_EQ(rig.set("Goal Position", 3072), 0);
  rig.step(3.0);
  EXPECT_NEAR(rig.get("Present Position"), 3072, 60);
  EXPECT_NEAR(rig.bench().sense().position, -kPi / 2, 0.1);
}

TEST(BusFirmware, AGoalThatSwitchesTheTorqueOnDoesAllThatItsRegisterDoes) {
  BusRig rig("XM540-W270");
  EXPECT_EQ(rig.set("Drive Mode", 8), 0);
  EXPECT_EQ(rig.set("Bus Watchdog", 50), 0);  // 1 s
  rig.bench().put(2 * kPi + 0.1);
  EXPECT_GT(rig.get("Present Position"), 4096);
  rig.step(2.0);
  EXPECT_EQ(rig.set("Goal Position", 2200), 0);
  EXPECT_EQ(rig.get("Torque Enable"), 1);
  EXPECT_LT(rig.get("Present Position"), 4096);
  rig.step(0.1);
  EXPECT_EQ(rig.get("Bus Watchdog"), 50);
  EXPECT_EQ(rig.get("Goal Position"), 2200);
  rig.step(0.8);
  EXPECT_NEAR(rig.bench().sense().position, 2 * kPi + 152 * 2 * kPi / 4096, 0.1);
}

TEST(BusFirmware, POffsetsAndMovingStatusAreThoseOfItsTable) {
  BusRig rig("PH54-200-S500");
  EXPECT_EQ(rig.set("Homing Offset", 400000), 0);
  EXPECT_EQ(rig.get("Present Position"), 400000);
  EXPECT_EQ(rig.set("Homing Offset", 0), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Profile Acceleration", 1000), 0);
  EXPECT_EQ(rig.set("Profile Velocity", 1000), 0);
  EXPECT_EQ(rig.set("Goal Position", 100000), 0);
  rig.step(0.3);
  EXPECT_EQ(rig.get("Moving Status"), 0x30);
  BusRig x("XM430-W350");
  EXPECT_EQ(x.set("Homing Offset", 1500), 0);
  EXPECT_EQ(x.get("Present Position"), 2048 + 1024);
}

TEST(BusFirmware, TheTimeOfARampCountsFromTheVelocityAtTheWrite) {
  BusRig rig("XM430-W350");
  EXPECT_EQ(rig.set("Operating Mode", 1), 0);
  EXPECT_EQ(rig.set("Drive Mode", 4), 0);
  EXPECT_EQ(rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.set("Profile Acceleration", 500), 0);  // [ms]
  for (const auto& [from, goal] : {std::pair(0, 100), std::pair(100, 80), std::pair(80, 0)}) {
    EXPECT_EQ(rig.set("Goal Velocity", goal), 0);
    rig.step(0.25);
    EXPECT_NEAR(rig.get("Velocity Trajectory"), (from + goal) / 2, 2);
    rig.step(0.27);
    EXPECT_EQ(rig.get("Velocity Trajectory"), goal);
  }
}

TEST(BusFirmware, Xl330MeasuresTheCurrentOfItsSupply) {
  BusChoices choices;
  choices.registers.goal_current_is_supply = true;
  BusRig supply("XL330-M288", 1, "XL330-M288-T", std::nullopt, choices);
  BusRig motor("XL330-M288", 1, "XL330-M288-T");
  for (BusRig* const rig : {&supply, &motor}) {
    EXPECT_EQ(rig->set("Operating Mode", 0), 0);
    EXPECT_EQ(rig->set("Torque Enable", 1), 0);
    rig->bench().block(true);
    EXPECT_EQ(rig->set("Goal Current", -200), 0);
    rig->step(0.5);
    const ServoReading reading = rig->bench().sense().reading;
    EXPECT_LT(std::abs(reading.duty), 0.9);
    EXPECT_NEAR(rig->get("Present Current"), 1000 * reading.current * std::abs(reading.duty), 2);
  }
  EXPECT_NEAR(motor.bench().sense().reading.current, -0.2, 0.005);
  EXPECT_NEAR(supply.get("Present Current"), -200, 10);
}

TEST(BusFirmware, AxAndMxTurnAsWheels) {
  for (const char* const model : {"AX-12A", "MX-28"}) {
    BusRig rig(model);
    EXPECT_EQ(rig.set("CW Angle Limit", 0), 0);
    EXPECT_EQ(rig.set("CCW Angle Limit", 0), 0);
    EXPECT_EQ(rig.set("Torque Enable", 1), 0);
    EXPECT_EQ(rig.set("Moving Speed", -200), 0);
    rig.step(1.0);
    EXPECT_NEAR(rig.get("Present Speed"), -200, 40) << model;
  }
}

}  // namespace firmware_test

}  // namespace
}  // namespace servosim::bus
