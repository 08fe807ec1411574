// SPDX-License-Identifier: Apache-2.0
#include "controller/live_settings.h"

#include <algorithm>
#include <stdexcept>

#include "scene/scene.h"

namespace servosim {

using wbt::Value;

namespace {

const Device* find_device(Simulation& simulation, std::uint32_t node) {
  for (int r = 0; r < simulation.robot_count(); ++r) {
    for (const Device& device : simulation.robot(r).devices()) {
      if (!device.gone && device.spec->node == node) {
        return &device;
      }
    }
  }
  return nullptr;
}

std::optional<Value> read_motor(const Motor& motor, std::string_view name) {
  const PidGains& gains = motor.control_pid();
  return name == "acceleration" ? std::optional<Value>(motor.acceleration())
         : name == "controlPID" ? std::optional<Value>(Vec3{gains.p, gains.i, gains.d})
                                : std::nullopt;
}

// The channel of a Radio's emitter is that of its receiver.
std::optional<Value> read_emitter(const Emitter& emitter, const EmitterSpec& spec,
                                  std::string_view name) {
  if (name == "channel") {
    return static_cast<std::int32_t>(emitter.channel());
  }
  return name == "range" && emitter.range() != spec.range ? std::optional<Value>(emitter.range())
                                                          : std::nullopt;
}

bool is_lock(const Device& device, std::string_view name) {
  return device.connector != nullptr &&
         name == (device.node_type == "VacuumGripper" ? "isOn" : "isLocked");
}

}  // namespace

bool is_setting(std::string_view name) {
  return std::find(kSettings.begin(), kSettings.end(), name) != kSettings.end();
}

std::optional<Value> read_setting(Simulation& simulation, std::uint32_t node,
                                  std::string_view name) {
  const Device* device = find_device(simulation, node);
  if (device == nullptr) {
    return std::nullopt;
  }
  if (device->motor != nullptr) {
    return read_motor(*device->motor, name);
  }
  if (device->emitter != nullptr) {
    return read_emitter(*device->emitter, *device->spec->emitter, name);
  }
  if (device->receiver != nullptr && name == "channel") {
    return static_cast<std::int32_t>(device->receiver->channel());
  }
  return is_lock(*device, name) ? std::optional<Value>(device->connector->locked()) : std::nullopt;
}

void write_setting(Simulation& simulation, const wbt::Tree& tree, const Setting& setting) try {
  const auto [node, name] = setting;
  const Device* device = find_device(simulation, node);
  const wbt::TreeEntry* found = device != nullptr ? tree.find(node) : nullptr;
  if (found == nullptr) {
    return;
  }
  const Value& value = found->node->value(name);
  if (name == "acceleration" && device->motor != nullptr) {
    device->motor->set_acceleration(std::get<double>(value));
  } else if (name == "controlPID" && device->motor != nullptr) {
    const Vec3& gains = std::get<Vec3>(value);
    device->motor->set_control_pid({gains.x, gains.y, gains.z});
  } else if (name == "channel") {
    device->set_channel(std::get<std::int32_t>(value));
  } else if (name == "range" && device->emitter != nullptr) {
    device->emitter->set_range(std::get<double>(value));
  } else if (is_lock(*device, name)) {
    std::get<bool>(value) ? device->connector->lock() : device->connector->unlock();
  }
} catch (const std::logic_error&) {
  // Another type of node by now, or a value that the device does not take, which was said.
}

}  // namespace servosim
