// SPDX-License-Identifier: Apache-2.0
#include "servosim/robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/assert.h"
#include "scene/scene.h"

namespace servosim {

namespace {

template <typename T>
std::string names_of(const Robot& robot) {
  std::string names;
  for (const DeviceNode& node : robot.devices()) {
    if (!node.detached && node.get<T>() != nullptr) {
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", node.name);
    }
  }
  return names.empty() ? "none" : names;
}

// Returns the first device of that class and name. `kind` names the class in the message.
template <typename T>
T& find_device(const Robot& robot, std::string_view name, const char* kind) {
  for (const DeviceNode& node : robot.devices()) {
    if (!node.detached && node.name == name) {
      if (T* const found = node.get<T>()) {
        return *found;
      }
    }
  }
  throw std::out_of_range(fmt::format("robot \"{}\" has no {} \"{}\"; it has {}", robot.name(),
                                      kind, name, names_of<T>(robot)));
}

}  // namespace

Device* DeviceNode::sensor() const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [](const auto& device) { return device->is_sensor(); });
  return found != devices.end() ? found->get() : nullptr;
}

Robot::Robot(std::shared_ptr<const RobotSpec> spec, int index) { rebind(std::move(spec), index); }

void Robot::rebind(std::shared_ptr<const RobotSpec> spec, int index) {
  SERVOSIM_ASSERT((index >= 0) == (spec->solid >= 0), "robot \"{}\": index {}, Solid {}",
                  spec->name, index, spec->solid);
  name_ = spec->name;
  index_ = index;
  spec_ = std::move(spec);
}

int Robot::solid() const { return spec_->solid; }

const DeviceNode* Robot::find(std::string_view device_name) const {
  const auto found = std::find_if(devices_.begin(), devices_.end(), [&](const DeviceNode& d) {
    return !d.detached && d.name == device_name;
  });
  return found == devices_.end() ? nullptr : &*found;
}

Motor& Robot::motor(std::string_view device_name) const {
  return find_device<Motor>(*this, device_name, "motor");
}

PositionSensor& Robot::position_sensor(std::string_view device_name) const {
  return find_device<PositionSensor>(*this, device_name, "position sensor");
}

Brake& Robot::brake(std::string_view device_name) const {
  return find_device<Brake>(*this, device_name, "brake");
}

BodySensor& Robot::body_sensor(std::string_view device_name) const {
  return find_device<BodySensor>(*this, device_name, "sensor");
}

Emitter& Robot::emitter(std::string_view device_name) const {
  return find_device<Emitter>(*this, device_name, "emitter");
}

Receiver& Robot::receiver(std::string_view device_name) const {
  return find_device<Receiver>(*this, device_name, "receiver");
}

Connector& Robot::connector(std::string_view device_name) const {
  return find_device<Connector>(*this, device_name, "connector");
}

Led& Robot::led(std::string_view device_name) const {
  return find_device<Led>(*this, device_name, "LED");
}

DifferentialWheels* Robot::wheels() const {
  return drive_ ? drive_->get<DifferentialWheels>() : nullptr;
}

template <typename Action>
void Robot::for_each_device(const Action& action) const {
  const auto visit = [&action](const DeviceNode& node) {
    for (const auto& device : node.devices) {
      action(*device);
    }
  };
  if (drive_) {
    visit(*drive_);
  }
  std::for_each(devices_.begin(), devices_.end(), visit);
}

bool Robot::drain_battery(double h) {
  if (!battery_ || battery_->exhausted()) {
    return false;
  }
  double power = 0.0;
  for_each_device([&power](Device& device) { power += device.power_consumption(); });
  if (!battery_->drain(power, h)) {
    return false;
  }
  set_power(false);
  return battery_->end_is_news();
}

void Robot::set_power(bool on) {
  for_each_device([on](Device& device) { device.set_power(on); });
}

}  // namespace servosim
