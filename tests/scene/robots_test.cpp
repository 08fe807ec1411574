// SPDX-License-Identifier: Apache-2.0
// Robots, and the order of their devices.
#include <gtest/gtest.h>

#include "support/scenes.h"

namespace servosim::test {
namespace {

std::vector<std::string> device_names(const RobotSpec& robot) {
  std::vector<std::string> names;
  for (const DeviceSpec& device : robot.devices) {
    names.push_back(device.name);
  }
  return names;
}

TEST(Devices, AreInTreeOrderWithoutThoseOfNestedRobots) {
  const LoadedScene loaded = load_scene(R"(Robot { name "outer" children [
  Receiver { name "radio" }
  Pose { children [
    HingeJoint {
      endPoint Solid { name "x" children [
        GPS { name "gps" }
        SliderJoint { device [ PositionSensor { name "s2" } LinearMotor { name "m2" } ]
          endPoint Robot { name "inner" children [ Gyro { name "gyro" }
            HingeJoint { device RotationalMotor { name "m3" } endPoint Solid { name "z" } } ] } }
        LED { name "led" } ] }
      device [ RotationalMotor { name "m1" } Brake { name "b1" } ]
    } ] }
  TouchSensor { name "bumper" children [ Compass { name "compass" } ] }
] }
)");
  EXPECT_EQ(loaded.messages, Messages{});
  ASSERT_EQ(loaded.scene.robots.size(), 2u);
  EXPECT_EQ(device_names(loaded.scene.robots[0]),
            (std::vector<std::string>{"radio", "m1", "b1", "gps", "s2", "m2", "led", "bumper",
                                      "compass"}));
  EXPECT_EQ(device_names(loaded.scene.robots[1]), (std::vector<std::string>{"gyro", "m3"}));
  const DeviceSpec& gps = loaded.scene.robots[0].devices[3];
  EXPECT_EQ(gps.node_type, "GPS");
  EXPECT_FALSE(gps.motor || gps.sensor || gps.brake);
}

TEST(Devices, OfOneJointShareIt) {
  const Scene scene = load_scene(R"(Robot { children [
  HingeJoint { device [ RotationalMotor { name "a" } ] endPoint Solid { } }
  HingeJoint { device [ PositionSensor { name "b" noise 0.25 resolution 0.5 } Brake { name "c" } ]
    endPoint Solid { name "x" } }
] })")
                          .scene;
  const std::vector<DeviceSpec>& devices = scene.robots.at(0).devices;
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].joint, 0);
  EXPECT_EQ(devices[1].joint, 1);
  EXPECT_EQ(devices[2].joint, 1);
  ASSERT_TRUE(devices[1].sensor);
  EXPECT_EQ(devices[1].sensor->noise, 0.25);
  EXPECT_EQ(devices[1].sensor->resolution, 0.5);
  EXPECT_EQ(devices[2].brake, JointType::Rotational);
}

TEST(Devices, OutsideEveryRobotAreTheMotorsOnly) {
  const Scene scene = load_scene(R"(Solid { children [
  HingeJoint { device [ PositionSensor { name "s" } RotationalMotor { name "hold" } ] endPoint Solid { } }
  GPS { name "gps" } ] })")
                          .scene;
  ASSERT_EQ(scene.ownerless_motors.size(), 1u);
  EXPECT_EQ(scene.ownerless_motors[0].name, "hold");
  EXPECT_EQ(scene.ownerless_motors[0].joint, 0);
}

TEST(Robots, OfOldNamesAreRobots) {
  const LoadedScene loaded = load_scene(R"(Supervisor { controller "judge" }
CustomRobot { name "c" controller "walk" }
Robot { name "r" supervisor TRUE synchronization FALSE selfCollision TRUE }
)",
                                        "V6.0");
  ASSERT_EQ(loaded.scene.robots.size(), 3u);
  EXPECT_TRUE(loaded.scene.robots[0].supervisor);
  EXPECT_EQ(loaded.scene.robots[0].controller, "judge");
  EXPECT_FALSE(loaded.scene.robots[1].supervisor);
  EXPECT_EQ(loaded.scene.robots[1].name, "c");
  EXPECT_TRUE(loaded.scene.robots[2].supervisor);
  EXPECT_FALSE(loaded.scene.robots[2].synchronization);
  EXPECT_TRUE(loaded.scene.robots[2].self_collision);
  EXPECT_FALSE(loaded.scene.robots[1].self_collision);
}

TEST(Robots, DifferentialWheelsHaveWheelJoints) {
  const LoadedScene loaded =
      load_scene(R"(DifferentialWheels { axleLength 0.3 speedUnit 0.1 children [
    Solid { name "Right Wheel" translation 0.2 0 0 physics Physics { } }
    Solid { name "left wheel" translation -0.2 0.1 0 physics Physics { } }
    Solid { name "left wheel" physics Physics { } } ] physics Physics { } })",
                 "V6.0");
  EXPECT_EQ(loaded.messages, Messages{});
  const DifferentialWheelsSpec& wheels = loaded.scene.robots.at(0).drive.value().wheels.value();
  EXPECT_EQ(wheels.axle_length, 0.3);
  EXPECT_EQ(wheels.speed_unit, 0.1);
  EXPECT_FALSE(wheels.kinematic || wheels.has_encoders());
  ASSERT_EQ(loaded.scene.joints.size(), 2u);
  EXPECT_EQ(wheels.joints, (std::array{1, 0}));
  EXPECT_EQ(loaded.scene.joints[1].anchor, (Vec3{-0.2, 0.1, 0.0}));
  EXPECT_EQ(loaded.scene.joints[1].axis, (Vec3{-1.0, 0.0, 0.0}));
  EXPECT_TRUE(loaded.scene.robots[0].devices.empty());
}

TEST(Robots, DifferentialWheelsReportWheelsWithoutEffect) {
  EXPECT_EQ(load_scene("DifferentialWheels {\n axleLength 0 maxSpeed -3 encoderNoise -2 }", "V6.0")
                .messages,
            (Messages{"3:2: warning: axleLength is 0, but it must be > 0; 0.1 is used",
                      "3:15: warning: maxSpeed is -3, but it must be >= 0; 3 is used",
                      "3:27: warning: encoderNoise is -2, but it must be -1 or >= 0; -1 is used"}));
  EXPECT_EQ(load_scene("DifferentialWheels { physics Physics { } }", "V6.0").messages,
            Messages{"2:1: warning: a DifferentialWheels with Physics needs Solids called \"left "
                     "wheel\" and \"right wheel\" among its children; it does not drive"});
  const LoadedScene loaded = load_scene(
      "DifferentialWheels { children [ Solid { name \"left wheel\" physics\n Physics { } } ] }",
      "V6.0");
  EXPECT_EQ(loaded.messages, Messages{"3:2: warning: Physics of a wheel is not used: its "
                                      "DifferentialWheels has no Physics"});
  EXPECT_FALSE(loaded.scene.solids.at(1).physics.has_value());
}

using Words = std::vector<std::string>;

TEST(ControllerArgs, OfOldFilesAreOneStringThatIsSplit) {
  const auto args = [](const std::string& field, const std::string& version) {
    return load_scene("Robot { controllerArgs " + field + " }", version)
        .scene.robots.at(0)
        .controller_args;
  };
  EXPECT_EQ(args(R"("one 'two words' three")", "V6.0"), (Words{"one", "two words", "three"}));
  EXPECT_EQ(args(R"("'two words'")", "V6.0"), Words{"two words"}) << "split once only";
  EXPECT_EQ(args(R"("one two")", "R2020a"), (Words{"one", "two"}));
  EXPECT_EQ(args(R"("one two")", "R2020b"), (Words{"one two"}));
  EXPECT_EQ(args(R"([ "one" "two three" ])", "R2023b"), (Words{"one", "two three"}));
  EXPECT_EQ(args(R"("")", "V6.0"), Words{});
}

TEST(Robots, BatteryHasThreeValues) {
  EXPECT_EQ(load_scene("Robot {\nbattery [ 30 40 ]\n}").messages,
            Messages{"3:1: warning: battery should have no or 3 values; it is not simulated"});
  EXPECT_EQ(
      load_scene("Robot { name \"r\"\nbattery [ 0 40 5 ]\n}").messages,
      Messages{"3:1: warning: the battery of robot \"r\" is empty: its motors have no force"});
  EXPECT_EQ(load_scene("Robot { battery [ 30 40 5 ] }").scene.robots.at(0).battery,
            (std::vector<double>{30, 40, 5}));
}

}  // namespace
}  // namespace servosim::test
