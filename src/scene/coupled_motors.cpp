// SPDX-License-Identifier: Apache-2.0
#include "scene/coupled_motors.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace servosim {

namespace {

using Group = std::vector<DeviceSpec*>;

bool is_unlimited(const MotorSpec& motor) {
  return motor.min_position == 0.0 && motor.max_position == 0.0;
}

// Why a value of a sibling changes.
std::string because(const DeviceSpec& first) {
  return fmt::format("to fit the motor \"{}\" it is coupled to", first.name);
}

void impose_limits(const DeviceSpec& first, DeviceSpec& sibling, Diagnostics& diagnostics) {
  MotorSpec& motor = *sibling.motor;
  double low = 0.0;
  double high = 0.0;
  if (!is_unlimited(*first.motor)) {
    const double ratio = motor.multiplier / first.motor->multiplier;
    low = first.motor->min_position * ratio + 0.0;  // no -0, which a message would show
    high = first.motor->max_position * ratio + 0.0;
    if (low > high) {
      std::swap(low, high);
    }
  }
  if ((low == motor.min_position && high == motor.max_position) || !std::isfinite(high - low)) {
    return;
  }
  diagnostics.warning(
      sibling.where,
      fmt::format("minPosition and maxPosition of \"{}\" become {} and {} instead of "
                  "{} and {} {}",
                  sibling.name, low, high, motor.min_position, motor.max_position, because(first)));
  motor.min_position = low;
  motor.max_position = high;
}

void impose_speed(const DeviceSpec& first, DeviceSpec& sibling, Diagnostics& diagnostics) {
  MotorSpec& motor = *sibling.motor;
  const double speed =
      first.motor->max_velocity * std::abs(motor.multiplier / first.motor->multiplier);
  if (speed == motor.max_velocity || !std::isfinite(speed)) {
    return;
  }
  diagnostics.warning(sibling.where,
                      fmt::format("maxVelocity of \"{}\" becomes {} instead of {} {}", sibling.name,
                                  speed, motor.max_velocity, because(first)));
  motor.max_velocity = speed;
}

void couple(const RobotSpec& robot, const Group& group, int number, Diagnostics& diagnostics) {
  if (group.size() == 1) {
    diagnostics.warning(
        group[0]->where,
        fmt::format("the name \"{}\" is that of a coupled motor, but no other motor of robot "
                    "\"{}\" is called \"{}::...\"; it moves on its own",
                    group[0]->name, robot.name, *coupling_base(group[0]->name)));
    return;
  }
  for (DeviceSpec* member : group) {
    member->motor->coupling = number;
    if (member != group[0]) {
      impose_limits(*group[0], *member, diagnostics);
      impose_speed(*group[0], *member, diagnostics);
    }
  }
}

}  // namespace

std::optional<std::string_view> coupling_base(std::string_view motor_name) {
  const std::size_t at = motor_name.find("::");
  if (at == std::string_view::npos || motor_name.find("::", at + 2) != std::string_view::npos) {
    return std::nullopt;
  }
  return motor_name.substr(0, at);
}

void couple_motors(Scene& scene, Diagnostics& diagnostics) {
  for (RobotSpec& robot : scene.robots) {
    std::vector<Group> groups;  // in the order of their first members
    std::map<std::string_view, std::size_t> group_of;
    for (DeviceSpec& device : robot.devices) {
      // A Servo is older than the rule: such a name means nothing there.
      const bool may_couple = device.motor && device.node_type != "Servo";
      const auto base = may_couple ? coupling_base(device.name) : std::nullopt;
      if (!base) {
        continue;
      }
      const auto [known, is_new] = group_of.try_emplace(*base, groups.size());
      if (is_new) {
        groups.emplace_back();
      }
      groups[known->second].push_back(&device);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      couple(robot, groups[g], static_cast<int>(g) + 1, diagnostics);
    }
  }
}

}  // namespace servosim
