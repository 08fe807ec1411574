// SPDX-License-Identifier: Apache-2.0
#include "scene/robot_fields.h"

#include <utility>

#include "scene/checks.h"

namespace servosim {

namespace {

std::vector<std::string> read_arguments(const wbt::Node& node) {
  const std::vector<std::string>& given = node.strings("controllerArgs");
  if (node.version < wbt::kR2020b && given.size() == 1) {
    return split_arguments(given.front());
  }
  return given;
}

}  // namespace

bool is_robot(const wbt::Node& node) {
  return node.type->name == "Robot" || node.type->base == "Robot";
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
      inside = true;
    } else if (c == ' ' && quote == 0) {
      if (inside) {
        arguments.push_back(std::exchange(word, {}));
      }
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) {
    arguments.push_back(word);
  }
  return arguments;
}

RobotSpec read_robot(const wbt::Node& node, Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  RobotSpec robot;
  robot.where = node.where;
  robot.name = node.string("name");
  robot.model = node.string("model");
  robot.controller = node.string("controller");
  robot.controller_args = read_arguments(node);
  robot.custom_data = node.string(node.has("data") ? "data" : "customData");
  robot.supervisor = node.boolean("supervisor");
  robot.synchronization = node.boolean("synchronization");
  robot.self_collision = node.boolean("selfCollision");
  robot.battery = node.numbers("battery");
  if (!robot.battery.empty() && robot.battery.size() != 3) {
    checked.warn("battery", "battery should have no or 3 values; it is not simulated");
    robot.battery.clear();
  }
  robot.cpu_consumption = checked.magnitude("cpuConsumption");
  robot.proto_project = node.proto_project;
  return robot;
}

}  // namespace servosim
