// SPDX-License-Identifier: Apache-2.0
#include "sim/devices.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "devices/device_types.h"
#include "scene/scene.h"

namespace servosim {

namespace {

void describe(DeviceNode& node, std::shared_ptr<const DeviceSpec> spec) {
  node.name = spec->name;
  node.model = spec->model;
  node.node_type = spec->node_type;
  node.spec = std::move(spec);
}

}  // namespace

DeviceNode make_node(std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                     const DeviceEnvironment& environment) {
  DeviceNode node;
  node.devices = make_devices({*spec, owner, &environment});
  node.joint = spec->joint;
  describe(node, std::move(spec));
  return node;
}

void rebind_node(DeviceNode& node, std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                 const DeviceEnvironment& environment) {
  SERVOSIM_ASSERT(node.node_type == spec->node_type, "device \"{}\", a {}, becomes a {}", node.name,
                  node.node_type, spec->node_type);
  for (const auto& device : node.devices) {
    device->rebind({*spec, owner, &environment});
  }
  describe(node, std::move(spec));
  node.detached = false;
}

void detach_node(DeviceNode& node) {
  if (node.detached) {
    return;
  }
  auto own = std::make_shared<DeviceSpec>(*node.spec);
  own->joint = own->propeller = -1;
  for (const auto& device : node.devices) {
    device->rebind({*own, {}, nullptr});
  }
  node.spec = std::move(own);
  node.detached = true;
}

std::optional<Battery> make_battery(const RobotSpec& spec) {
  return !spec.battery.empty() && spec.battery.front() >= 0.0
             ? std::optional(Battery{spec.battery[0], spec.battery[1], spec.cpu_consumption})
             : std::nullopt;
}

std::unique_ptr<Robot> make_robot(std::shared_ptr<const RobotSpec> spec, int index,
                                  const DeviceEnvironment& environment) {
  auto robot = std::make_unique<Robot>(spec, index);
  robot->own_devices().reserve(spec->devices.size());
  for (const DeviceSpec& device : spec->devices) {
    robot->own_devices().push_back(make_node({spec, &device}, spec->name, environment));
  }
  if (spec->drive) {
    robot->drive() = make_node({spec, &*spec->drive}, spec->name, environment);
  }
  robot->set_battery(make_battery(*spec));
  return robot;
}

void detach_robot(Robot& robot) {
  for (DeviceNode& node : robot.own_devices()) {
    detach_node(node);
  }
  if (robot.drive()) {
    detach_node(*robot.drive());
  }
  auto own = std::make_shared<RobotSpec>(robot.spec());
  own->devices.clear();
  own->solid = -1;
  robot.rebind(std::move(own), -1);
}

// The radius follows Webots' formula.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status) {
  const double length = norm(endpoint * muscle.end_offset - muscle.start_offset);
  return {status, length, std::sqrt(3.0 * muscle.volume / (4.0 * std::numbers::pi * length))};
}

}  // namespace servosim
