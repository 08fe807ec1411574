// SPDX-License-Identifier: Apache-2.0
// The field `servo` of motors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

// The motor is on line 3.
LoadedScene robot_with_hinge(const std::string& servo, const std::string& physics = "Physics { }",
                             const std::string& folder = ".") {
  return load_scene(fmt::format("Robot {{ name \"r\" children [ HingeJoint {{ device [\n"
                                "RotationalMotor {{ name \"m\"\n{}\n}} ] endPoint Solid {{ "
                                "boundingObject Box {{ }} physics {} }} }} ] }}",
                                servo, physics),
                    "R2023b", folder);
}

LoadedScene slider(const std::string& servo) {
  return load_scene(fmt::format(
      "Robot {{ name \"r\" children [ SliderJoint {{ device [\nLinearMotor {{ name \"m\"\n{}\n}} ] "
      "endPoint Solid {{ boundingObject Box {{ }} physics Physics {{ }} }} }} ] }}",
      servo));
}

const MotorSpec& motor_in(const LoadedScene& loaded) {
  return *loaded.scene.robots.at(0).devices.at(0).motor;
}

TEST(ServoField, IsReadAsAFieldOrAHiddenOne) {
  for (const char* field : {"servo \"STS3215\"", "#servosim servo \"STS3215\""}) {
    const LoadedScene loaded = robot_with_hinge(field);
    EXPECT_EQ(loaded.messages, Messages{}) << field;
    ASSERT_NE(motor_in(loaded).servo, nullptr);
    EXPECT_EQ(motor_in(loaded).servo->name, "STS3215");
    EXPECT_EQ(motor_in(loaded).servo_choice, "STS3215");
  }
  EXPECT_EQ(motor_in(robot_with_hinge("")).servo, nullptr);
}

TEST(ServoField, MayChangeFields) {
  const LoadedScene loaded =
      robot_with_hinge("servo \"STS3215/sheet firmware.p=16 supply.name=left\"");
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_EQ(motor_in(loaded).servo->firmware.p, 16.0);
  EXPECT_EQ(motor_in(loaded).servo->supply.name, "left");
}

TEST(ServoField, OfANameThatIsNotThereIsAnError) {
  const LoadedScene loaded = robot_with_hinge("servo \"STS3216\"");
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].find("4:1: error: servo of motor \"m\": no servo is called "
                                    "'STS3216'; the nearest names are 'STS3215'"),
            0u)
      << loaded.messages[0];
  EXPECT_EQ(robot_with_hinge("servo \"STS3215 firmware.p=x\"").messages,
            Messages{"4:1: error: servo of motor \"m\": firmware.p is \"x\", but it must be in [0, "
                     "inf)"});
}

TEST(ServoField, WarnsOfASupplyThatItsProtectionRefuses) {
  const LoadedScene loaded = robot_with_hinge("servo \"XL330-M288-T supply.voltage=7.4\"");
  EXPECT_EQ(
      loaded.messages,
      Messages{"4:1: warning: servo of motor \"m\" gives no torque: its supply.voltage 7.4 is "
               "more than its protection.max_voltage 7; give one of them another value"});
  ASSERT_NE(motor_in(loaded).servo, nullptr);
  EXPECT_EQ(motor_in(loaded).servo->supply.voltage, 7.4);
  EXPECT_EQ(robot_with_hinge("servo \"XL330-M288-T supply.voltage=3\"").messages.size(), 1u);
}

TEST(ServoField, WarnsOfGainsWithoutAnEffect) {
  EXPECT_EQ(robot_with_hinge("servo \"STS3215 firmware.d=50\"").messages,
            Messages{"4:1: warning: servo of motor \"m\": firmware.d=50 has no effect, since "
                     "firmware.d_scale, the output per unit of it, is 0"});
  EXPECT_EQ(robot_with_hinge("servo \"AX-12A firmware.p=8\"").messages.size(), 1u);
  EXPECT_EQ(robot_with_hinge("servo \"STS3215 firmware.d=1 firmware.d_scale=0.1\"").messages,
            Messages{});
}

TEST(ServoField, NeedsABodyToMove) {
  const LoadedScene loaded = robot_with_hinge("servo \"STS3215\"", "NULL");
  EXPECT_EQ(loaded.messages, Messages{"4:1: warning: servo of motor \"m\" is not simulated: the "
                                      "endPoint of its joint has no Physics"});
  EXPECT_EQ(motor_in(loaded).servo, nullptr);
  const LoadedScene propeller = load_scene(
      "Robot { physics Physics { } boundingObject Box { } children [ Propeller { device "
      "RotationalMotor { name \"m\"\nservo \"STS3215\" } } ] }");
  EXPECT_EQ(propeller.messages, Messages{"3:1: warning: servo of motor \"m\" is not simulated: it "
                                         "turns a Propeller, which has no joint"});
}

TEST(ServoField, OfALinearMotorNeedsATravel) {
  EXPECT_EQ(slider("servo \"STS3215\"").messages,
            Messages{"4:1: error: servo of motor \"m\": a servo turns, and this motor moves a "
                     "slider; say how far it moves per radian of the shaft, such as servo "
                     "\"STS3215 drive.travel=0.01\" for a pinion with a radius of 10 mm"});
  const LoadedScene loaded = slider("servo \"STS3215 drive.travel=0.01\"");
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_NEAR(motor_in(loaded).servo->drive.torque_constant, 121.164135295077, 1e-9);
  EXPECT_EQ(robot_with_hinge("servo \"STS3215 drive.travel=0.01\"").messages,
            Messages{"4:1: error: servo of motor \"m\": drive.travel is for a motor of a slider; "
                     "this one turns"});
}

TEST(ServoField, OfAServoNode) {
  const auto servo = [](const char* type, const char* choice) {
    return load_scene(fmt::format("Robot {{ children [ Servo {{ type \"{}\"\nservo \"{}\" "
                                  "boundingObject Box {{ }} physics Physics {{ }} }} ] }}",
                                  type, choice),
                      "V8.6");
  };
  EXPECT_EQ(servo("rotational", "SG90").messages, Messages{});
  EXPECT_EQ(motor_in(servo("rotational", "SG90")).servo->name, "SG90");
  EXPECT_EQ(motor_in(servo("linear", "SG90 drive.travel=0.02")).servo->name, "SG90");
  EXPECT_EQ(servo("none", "SG90").messages.back(),
            "3:1: warning: servo of motor \"solid\" is not simulated: it moves no joint");
}

TEST(ServoField, OfAMotorOutsideOfRobots) {
  const LoadedScene loaded = load_scene(
      "HingeJoint { device RotationalMotor { name \"m\"\nservo \"STS3215\" } endPoint Solid { "
      "boundingObject Box { } physics Physics { } } }");
  EXPECT_EQ(loaded.messages.back(),
            "3:1: warning: servo of motor \"m\" is not simulated: it is not in a Robot");
}

TEST(ServoField, RefusesTwoSuppliesOfOneName) {
  const auto joint = [](const char* motor, const char* servo) {
    return fmt::format(
        "HingeJoint {{ device RotationalMotor {{ name \"{}\"\nservo \"{}\" }} endPoint Solid {{ "
        "name \"{}\" boundingObject Box {{ }} physics Physics {{ }} }} }}",
        motor, servo, motor);
  };
  const auto robot = [&](const char* second) {
    return load_scene(fmt::format("Robot {{ children [ {} {} ] }}",
                                  joint("a", "STS3215 supply.name=u supply.resistance=0.1"),
                                  joint("b", second)));
  };
  EXPECT_EQ(robot("STS3215 supply.name=u supply.resistance=0.1").messages, Messages{});
  EXPECT_EQ(robot("STS3215 supply.name=v supply.resistance=0.2").messages, Messages{});
  const LoadedScene differs = robot("STS3215 supply.name=u supply.resistance=0.2");
  ASSERT_EQ(differs.messages.size(), 1u);
  EXPECT_NE(differs.messages[0].find("error: servo of motor \"b\": its supply \"u\" has 7.4 V, "
                                     "0.2 Ω"),
            std::string::npos)
      << differs.messages[0];
}

TEST(ServoField, FindsFilesBesideTheWorld) {
  const TemporaryFolder folder("servos");
  std::ofstream(folder.path() + "/mine.toml") << "[supply]\nvoltage = 5\n";
  const LoadedScene loaded = robot_with_hinge("servo \"mine\"", "Physics { }", folder.path());
  EXPECT_EQ(loaded.messages, Messages{});
  EXPECT_EQ(motor_in(loaded).servo->supply.voltage, 5.0);
  std::ofstream(folder.path() + "/mine.toml") << "[supply]\nvoltage = 0\n";
  EXPECT_EQ(robot_with_hinge("servo \"mine\"", "Physics { }", folder.path()).messages,
            Messages{fmt::format("4:1: error: servo of motor \"m\": {}/mine.toml:2:1: "
                                 "supply.voltage is 0, but it must be in (0, inf)",
                                 folder.path())});
}

}  // namespace
}  // namespace servosim::test
