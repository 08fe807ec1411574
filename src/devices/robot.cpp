// SPDX-License-Identifier: Apache-2.0
#include "servosim/robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/assert.h"
#include "devices/measuring.h"
#include "scene/scene.h"

namespace servosim {

void throw_invalid(const char* argument, double value, const char* allowed) {
  throw std::invalid_argument(fmt::format("{} is {}; it must be {}", argument, value, allowed));
}

namespace {

// The names of all devices that have the part `member`, for an error message.
template <typename Part>
std::string names_with(const Robot& robot, std::unique_ptr<Part> Device::*member) {
  std::string names;
  for (const Device& device : robot.devices()) {
    if (device.*member != nullptr && !device.detached) {
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", device.name);
    }
  }
  return names.empty() ? "none" : names;
}

// The part `member` of the first device of that name that has one.
template <typename Part>
Part& find_part(const Robot& robot, std::string_view name, std::unique_ptr<Part> Device::*member,
                const char* kind) {
  for (const Device& device : robot.devices()) {
    if (device.*member != nullptr && !device.detached && device.name == name) {
      return *(device.*member);
    }
  }
  throw std::out_of_range(fmt::format("robot \"{}\" has no {} \"{}\"; it has {}", robot.name(),
                                      kind, name, names_with(robot, member)));
}

}  // namespace

void Device::set_channel(int channel) const {
  if (receiver != nullptr) {
    receiver->set_channel(channel);
  }
  if (emitter != nullptr) {
    emitter->set_channel(channel);
  }
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

const Device* Robot::find(std::string_view device_name) const {
  const auto found = std::find_if(devices_.begin(), devices_.end(), [&](const Device& d) {
    return !d.detached && d.name == device_name;
  });
  return found == devices_.end() ? nullptr : &*found;
}

Motor& Robot::motor(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::motor, "motor");
}

PositionSensor& Robot::position_sensor(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::sensor, "position sensor");
}

Brake& Robot::brake(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::brake, "brake");
}

BodySensor& Robot::body_sensor(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::body_sensor, "sensor");
}

Emitter& Robot::emitter(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::emitter, "emitter");
}

Receiver& Robot::receiver(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::receiver, "receiver");
}

Connector& Robot::connector(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::connector, "connector");
}

Led& Robot::led(std::string_view device_name) const {
  return find_part(*this, device_name, &Device::led, "LED");
}

bool Robot::drain_battery(double h) {
  if (!battery_ || battery_->exhausted()) {
    return false;
  }
  double power = wheels_ != nullptr ? wheels_->power_consumption() : 0.0;
  for (const Device& device : devices_) {
    if (device.motor != nullptr) {
      power += device.motor->power_consumption();
    }
  }
  if (!battery_->drain(power, h)) {
    return false;
  }
  set_power(false);
  return battery_->end_is_news();
}

void Robot::set_power(bool on) {
  if (wheels_ != nullptr) {
    wheels_->set_power(on);
  }
  for (const Device& device : devices_) {
    if (device.motor != nullptr) {
      device.motor->set_power(on);
    }
    if (device.sensor != nullptr) {
      device.sensor->set_power(on);
    }
    if (device.body_sensor != nullptr) {
      device.body_sensor->set_power(on);
    }
    if (device.emitter != nullptr) {
      device.emitter->set_power(on);
    }
    if (device.receiver != nullptr) {
      device.receiver->set_power(on);
    }
    if (device.connector != nullptr) {
      device.connector->set_power(on);
    }
  }
}

bool Battery::drain(double device_power, double h) {
  SERVOSIM_ASSERT(state_.energy >= 0.0, "{} J", state_.energy);
  state_.energy = std::max(0.0, state_.energy - (cpu_consumption_ + device_power) * h);
  state_.exhausted = state_.energy == 0.0;
  return state_.exhausted;
}

void Battery::set_state(const State& state) {
  const bool noticed = state_.noticed;
  state_ = state;
  state_.noticed |= noticed;
}

}  // namespace servosim
