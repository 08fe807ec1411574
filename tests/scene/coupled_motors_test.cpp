// SPDX-License-Identifier: Apache-2.0
// Motors named `base::part`: which of them are coupled, and the limits that the first one imposes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scene/device_builders.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

// Returns a robot with motors, each in its own joint. Motor i begins on line 3 + i.
LoadedScene robot(const std::vector<std::string>& motors) {
  std::string text = "Robot { name \"r\" children [\n";
  for (const std::string& motor : motors) {
    text += "HingeJoint { device RotationalMotor { " + motor + " } }\n";
  }
  return load_scene(text + "] }");
}

const MotorSpec& motor(const LoadedScene& loaded, int index) {
  return *loaded.scene.robots.at(0).devices.at(index).motor;
}

std::string warning(int line, const std::string& text) {
  return fmt::format("{}:21: warning: {}", line, text);
}

TEST(CoupledMotors, HaveExactlyOnePairOfColons) {
  EXPECT_EQ(coupling_base("grip::left"), "grip");
  EXPECT_EQ(coupling_base("::left"), "");
  EXPECT_EQ(coupling_base("grip::"), "grip");
  EXPECT_EQ(coupling_base("grip:left"), std::nullopt);
  EXPECT_EQ(coupling_base("grip::left::tip"), std::nullopt);
  EXPECT_EQ(coupling_base(""), std::nullopt);
}

TEST(CoupledMotors, AreThoseOfOneRobotThatShareTheBase) {
  const LoadedScene loaded =
      robot({"name \"grip::left\"", "name \"neck\"", "name \"eye::left\"", "name \"grip::right\"",
             "name \"eye::right\"", "name \"a::b::c\""});
  EXPECT_EQ(loaded.messages, Messages{});
  std::vector<int> numbers;
  for (int i = 0; i < 6; ++i) {
    numbers.push_back(motor(loaded, i).coupling);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 0, 2, 1, 2, 0}));
}

TEST(CoupledMotors, NeedASiblingInTheSameRobot) {
  const LoadedScene loaded = load_scene(R"(Robot { name "a" children [ HingeJoint { device
RotationalMotor { name "grip::left" } } ] }
Robot { name "b" children [ HingeJoint { device
RotationalMotor { name "grip::right" } } ] })");
  EXPECT_EQ(loaded.messages,
            (Messages{"3:1: warning: the name \"grip::left\" is that of a coupled motor, but no "
                      "other motor of robot \"a\" is called \"grip::...\"; it moves on its own",
                      "5:1: warning: the name \"grip::right\" is that of a coupled motor, but no "
                      "other motor of robot \"b\" is called \"grip::...\"; it moves on its own"}));
  EXPECT_EQ(motor(loaded, 0).coupling, 0);
}

TEST(CoupledMotors, ServosAndOtherDevicesAreNone) {
  EXPECT_EQ(
      load_scene("Robot { children [ Servo { name \"a::b\" } Servo { name \"a::c\" } ] }", "V7.0")
          .messages,
      Messages{});
  const LoadedScene loaded = load_scene(
      "Robot { children [ HingeJoint { device [ RotationalMotor { name \"m\" } PositionSensor { "
      "name \"a::b\" } ] } Gyro { name \"a::c\" } ] }");
  EXPECT_EQ(loaded.messages, Messages{});
}

TEST(CoupledMotors, TheFirstImposesItsLimitsByTheMultipliers) {
  const LoadedScene loaded =
      robot({"name \"g::a\" multiplier 2 minPosition -1 maxPosition 0.5 maxVelocity 3",
             "name \"g::b\" multiplier 4 minPosition -2 maxPosition 1 maxVelocity 6",  // fits
             "name \"g::c\" multiplier -1 minPosition -1.5 maxPosition 1.5 maxVelocity 3"});
  EXPECT_EQ(
      loaded.messages,
      (Messages{
          warning(5,
                  "minPosition and maxPosition of \"g::c\" become -0.25 and 0.5 "
                  "instead of -1.5 and 1.5 to fit the motor \"g::a\" it is coupled to"),
          warning(5,
                  "maxVelocity of \"g::c\" becomes 1.5 instead of 3 to fit the motor \"g::a\" it "
                  "is coupled to")}));
  EXPECT_EQ(motor(loaded, 1).min_position, -2.0);
  EXPECT_EQ(motor(loaded, 2).min_position, -0.25) << "reversed";
  EXPECT_EQ(motor(loaded, 2).max_position, 0.5);
  EXPECT_EQ(motor(loaded, 2).max_velocity, 1.5);
}

TEST(CoupledMotors, HaveNoLimitsWithoutThoseOfTheFirst) {
  const LoadedScene loaded =
      robot({"name \"g::a\"", "name \"g::b\" minPosition -1 maxPosition 0.5", "name \"g::c\""});
  EXPECT_EQ(
      loaded.messages,
      Messages{warning(4,
                       "minPosition and maxPosition of \"g::b\" become 0 and 0 instead of -1 and "
                       "0.5 to fit the motor \"g::a\" it is coupled to")});
  EXPECT_EQ(motor(loaded, 1).min_position, 0.0);
  EXPECT_EQ(motor(loaded, 1).max_position, 0.0);
}

TEST(CoupledMotors, AReversedLimitOfZeroHasNoSign) {
  const LoadedScene loaded = robot({"name \"g::a\" minPosition 0 maxPosition 0.5",
                                    "name \"g::b\" multiplier -1 maxPosition 0.5"});
  EXPECT_EQ(loaded.messages,
            Messages{warning(4,
                             "minPosition and maxPosition of \"g::b\" become -0.5 and 0 instead of "
                             "0 and 0.5 to fit the motor \"g::a\" it is coupled to")});
}

TEST(CoupledMotors, KeepTheirOwnForces) {
  const LoadedScene loaded =
      robot({"name \"g::a\" maxTorque 3 acceleration 2", "name \"g::b\" maxTorque 7"});
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_EQ(motor(loaded, 0).max_force, 3.0);
  EXPECT_EQ(motor(loaded, 1).max_force, 7.0);
  EXPECT_EQ(motor(loaded, 1).acceleration, -1.0);
}

TEST(CoupledMotors, AMultiplierOfZeroIsReplacedFirst) {
  const LoadedScene loaded = robot(
      {"name \"g::a\" multiplier 0 maxVelocity 3", "name \"g::b\" multiplier -2 maxVelocity 6"});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_NE(loaded.messages[0].find("multiplier is 0, but it must not be 0; 1 is used"),
            std::string::npos)
      << loaded.messages[0];
}

}  // namespace
}  // namespace servosim::test
