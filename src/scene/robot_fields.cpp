// SPDX-License-Identifier: Apache-2.0
#include "scene/robot_fields.h"

#include "scene/checks.h"

namespace servosim {

bool is_robot(const wbt::Node& node) {
  return node.type->name == "Robot" || node.type->base == "Robot";
}

RobotSpec read_robot(const wbt::Node& node, Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  RobotSpec robot;
  robot.node = node.id;
  robot.where = node.where;
  robot.name = robot.given_name = node.string("name");
  robot.model = node.string("model");
  robot.controller = node.string("controller");
  robot.controller_args = node.strings("controllerArgs");
  robot.custom_data = node.string(node.has("data") ? "data" : "customData");
  robot.supervisor = node.boolean("supervisor");
  robot.synchronization = node.boolean("synchronization");
  robot.self_collision = node.boolean("selfCollision");
  robot.battery = node.numbers("battery");
  if (!robot.battery.empty() && robot.battery.size() != 3) {
    checked.warn("battery", "battery should have no or 3 values; it is not simulated");
    robot.battery.clear();
  }
  if (!robot.battery.empty() && robot.battery.front() == 0.0) {
    checked.warn("battery", fmt::format("the battery of robot \"{}\" is empty: its motors have no "
                                        "force",
                                        robot.name));
  }
  robot.cpu_consumption = checked.magnitude("cpuConsumption");
  robot.proto_project = node.proto_project;
  return robot;
}

}  // namespace servosim
