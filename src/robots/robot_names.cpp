// SPDX-License-Identifier: Apache-2.0
#include "robots/robot_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace servosim::robots {

std::string unused_name(std::string name, const std::set<std::string>& used) {
  while (used.contains(name)) {
    name += '#';
  }
  return name;
}

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  }
  return names.size() <= kMaxNamed ? text
                                   : fmt::format("{} and {} more", text, names.size() - kMaxNamed);
}

void name_devices(RobotModel& model, std::vector<Loss>& losses) {
  std::set<std::string> used;
  const auto take = [&](std::string name) {
    return *used.insert(unused_name(std::move(name), used)).first;
  };
  const auto has_given = [](const RobotJoint& joint) {
    return !joint.actuators.empty() && joint.actuators.front().is_named;
  };
  const auto for_each_joint = [&](const auto& name) {
    for (RobotLink& link : model.links) {
      for (RobotJoint& joint : link.joints) {
        name(joint);
      }
    }
  };
  for_each_joint([&](RobotJoint& joint) {
    if (has_given(joint)) {
      joint.motor_name = joint.actuators.front().name;
      used.insert(joint.motor_name);
    }
  });
  const std::set<std::string> motors = used;
  for_each_joint([&](const RobotJoint& joint) {
    if (!joint.sensor_name.empty()) {
      used.insert(joint.sensor_name);
    }
  });
  for (const Sensor& sensor : model.sensors) {
    if (sensor.is_named) {
      used.insert(sensor.name);
    }
  }
  const auto tell_apart = [&](std::string& sensor, const SourceLocation& where) {
    if (motors.contains(sensor)) {
      std::string name = take(sensor);
      losses.push_back(
          {where, fmt::format("sensor '{}' is called '{}', as a motor has its name", sensor, name),
           false});
      sensor = std::move(name);
    }
  };
  for_each_joint([&](RobotJoint& joint) { tell_apart(joint.sensor_name, joint.where); });
  for (Sensor& sensor : model.sensors) {
    if (sensor.is_named) {
      tell_apart(sensor.name, sensor.where);
    }
  }
  for_each_joint([&](RobotJoint& joint) {
    if (joint.has_own_motor() && !has_given(joint)) {
      joint.motor_name = take(joint.name);
    }
  });
  for_each_joint([&](RobotJoint& joint) {
    if (joint.sensor_name.empty()) {
      joint.sensor_name = take(joint.name + "_sensor");
    }
  });
  for (Sensor& sensor : model.sensors) {
    if (!sensor.is_named) {
      sensor.name = take(sensor.name);
    }
  }
}

}  // namespace servosim::robots
