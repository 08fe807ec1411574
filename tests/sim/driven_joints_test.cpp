// SPDX-License-Identifier: Apache-2.0
#include "sim/driven_joints.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace driven_joints_test {

std::string hinge(const std::string& name) {
  return "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device [ "
         "RotationalMotor { name \"" +
         name + "\" } PositionSensor { name \"" + name + " sensor\" } ] endPoint Solid { name \"" +
         name + " link\" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }\n";
}

std::string track(const std::string& name, const std::string& limits) {
  return "Track { name \"" + name + " track\" device LinearMotor { name \"" + name + "\" " +
         limits + " } }\n";
}

std::string world(const std::string& children) {
  return "#VRML_SIM R2023b utf8\nWorldInfo { gravity 0 }\nRobot { name \"r\" children [\n" +
         children + "] boundingObject Box { } physics Physics { } }\n";
}

Simulation simulation_of(const std::string& text) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation::from_text(text, std::move(options));
}

std::string names(const Robot& robot) {
  std::string all;
  for (const DeviceNode* device : driven_joints(robot)) {
    all += device->name + ' ';
  }
  return all;
}

TEST(DrivenJoints, AreTheMotorsOfJointsInDeviceOrder) {
  Simulation simulation =
      simulation_of(world(hinge("b") + "Propeller { device RotationalMotor { name \"p\" } }\n" +
                          hinge("a") + track("belt", "")));
  const Robot& robot = simulation.robot(0);
  EXPECT_EQ(names(robot), "b a belt ");
  for (const DeviceNode& device : robot.devices()) {
    EXPECT_EQ(drives_joint(device),
              device.name == "b" || device.name == "a" || device.name == "belt")
        << device.name;
  }
}

TEST(DrivenJoints, LeaveOutDevicesThatWereRemovedFromTheTree) {
  const std::string without = world(hinge("a"));
  Simulation simulation = simulation_of(world(hinge("a") + hinge("b")));
  const Robot& robot = simulation.robot(0);
  ASSERT_EQ(names(robot), "a b ");
  Diagnostics diagnostics;
  WorldControl(simulation)
      .rebuild(std::make_shared<const wbt::WorldFile>(
          wbt::read_world_text(without, "world", ".", {}, diagnostics)));
  EXPECT_EQ(robot.devices().size(), 4u);  // those of b are kept, without effect
  EXPECT_EQ(names(robot), "a ");
}

TEST(DrivenJoints, OfABeltOneWithoutLimitsIsEndless) {
  Simulation simulation = simulation_of(
      world(track("left", "") + track("right", "minPosition -0.2 maxPosition 0.3") + hinge("arm")));
  std::string endless;
  for (const DeviceNode* device : driven_joints(simulation.robot(0))) {
    endless += is_endless_belt(WorldInspector(simulation).scene(), *device) ? device->name : "";
  }
  EXPECT_EQ(names(simulation.robot(0)), "left right arm ");
  EXPECT_EQ(endless, "left");
}

}  // namespace driven_joints_test
}  // namespace servosim::test
