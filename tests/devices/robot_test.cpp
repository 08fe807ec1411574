// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/worlds.h"

namespace servosim::test {
namespace {

template <typename Call>
std::string failure(Call call) {
  try {
    call();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Robot, FindsItsDevicesByExactName) {
  Simulation simulation = load(OneJoint{});
  Robot& robot = simulation.robot("r");
  EXPECT_EQ(robot.find("M"), nullptr);
  ASSERT_NE(robot.find("m"), nullptr);
  EXPECT_EQ(robot.find("m")->node_type, "RotationalMotor");
  EXPECT_EQ(&robot.motor("m"), robot.find("m")->get<Motor>());
  EXPECT_EQ(robot.devices().at(1).name, "s");
  EXPECT_EQ(robot.devices().at(2).joint, 0);
}

// Webots accepts these nodes there, and they do nothing.
TEST(Robot, DevicesOfJointsAmongItsChildrenDoNothing) {
  Simulation simulation = load(
      "#VRML_SIM R2025a utf8\nRobot { name \"r\" children [ RotationalMotor { name \"m\" } "
      "PositionSensor { name \"p\" } Brake { name \"b\" } ] }");
  Robot& robot = simulation.robot("r");
  ASSERT_EQ(robot.devices().size(), 3u);
  for (const DeviceNode& node : robot.devices()) {
    EXPECT_TRUE(node.devices.empty()) << node.name;
  }
  EXPECT_EQ(robot.find("m")->get<Motor>(), nullptr);
  simulation.step();
}

TEST(Robot, NamesWhatItHasWhenItHasNot) {
  Simulation simulation = load(OneJoint{});
  Robot& robot = simulation.robot("r");
  EXPECT_EQ(failure([&] { robot.motor("x"); }), "robot \"r\" has no motor \"x\"; it has \"m\"");
  // A motor has its joint's position too, as wb_motor_get_position of Webots 7 did.
  EXPECT_EQ(failure([&] { robot.position_sensor("x"); }),
            "robot \"r\" has no position sensor \"x\"; it has \"m\", \"s\"");
  EXPECT_EQ(failure([&] { robot.brake("m"); }), "robot \"r\" has no brake \"m\"; it has \"b\"");
  Simulation bare = load("#VRML_SIM R2023b utf8\nRobot { name \"stone\" }");
  EXPECT_EQ(failure([&] { bare.robot(0).motor("x"); }),
            "robot \"stone\" has no motor \"x\"; it has none");
}

}  // namespace
}  // namespace servosim::test
