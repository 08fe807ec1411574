// SPDX-License-Identifier: Apache-2.0
#include "controller/server/device_descriptions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/assert.h"

namespace servosim {

namespace {

std::uint8_t is_linear(JointType type) { return type == JointType::Linear ? 1 : 0; }

WelcomeMotor describe(const Motor& motor, const MotorSpec& spec) {
  WelcomeMotor welcome;
  welcome.linear = is_linear(motor.type());
  welcome.coupling = static_cast<std::uint16_t>(spec.coupling);
  welcome.min_position = motor.min_position();
  welcome.max_position = motor.max_position();
  welcome.max_velocity = motor.max_velocity();
  welcome.max_force = motor.max_force();
  welcome.multiplier = motor.multiplier();
  welcome.position = motor.target_position();
  welcome.velocity = motor.target_velocity();
  welcome.acceleration = motor.acceleration();
  welcome.available_force = motor.available_force();
  const PidGains& gains = motor.control_pid();
  welcome.pid = {gains.p, gains.i, gains.d};
  return welcome;
}

// Everything but the fields.
WelcomeDevice describe(const Device& device) {
  WelcomeDevice welcome;
  welcome.name = device.name;
  welcome.model = device.model;
  welcome.node_type = device.node_type;
  welcome.joint = device.joint;
  welcome.has_motor = device.motor != nullptr;
  // A motor that measures its position is no PositionSensor; only wb_motor_get_position() reads it.
  welcome.has_sensor =
      device.sensor != nullptr && (device.motor == nullptr || device.node_type == "Servo");
  welcome.has_brake = device.brake != nullptr;
  if (welcome.has_motor) {
    welcome.motor = describe(*device.motor, *device.spec->motor);
  }
  if (welcome.has_sensor) {
    welcome.sensor_linear = is_linear(device.sensor->type());
  }
  if (welcome.has_brake) {
    welcome.brake_linear = is_linear(device.brake->type());
  }
  return welcome;
}

// The fields of the world file, with the values that were set since.
std::vector<DeviceField> fields_of(const Device& device) {
  std::vector<DeviceField> fields = device.spec->fields;
  const auto put = [&](std::string_view name, double value) {
    for (DeviceField& field : fields) {
      if (field.name == name) {
        field.numbers = {value};
      }
    }
  };
  if (device.emitter != nullptr) {
    put("channel", device.emitter->channel());
    put("range", device.emitter->range());
  }
  if (device.receiver != nullptr) {
    put("channel", device.receiver->channel());
  }
  if (device.connector != nullptr) {
    put("isLocked", device.connector->locked() ? 1.0 : 0.0);
    put("isOn", device.connector->locked() ? 1.0 : 0.0);
  }
  if (device.led != nullptr) {
    fields.push_back({std::string(kLedValue), {}, {static_cast<double>(device.led->value())}});
  }
  return fields;
}

WelcomeField described(const DeviceField& field) { return {field.name, field.text, field.numbers}; }

// The fields of `now` that `known` does not have, and those that are gone, without a value.
std::vector<WelcomeField> changes(const std::vector<DeviceField>& known,
                                  const std::vector<DeviceField>& now) {
  std::vector<WelcomeField> changed;
  for (const DeviceField& field : now) {
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      changed.push_back(described(field));
    }
  }
  for (const DeviceField& field : known) {
    if (std::none_of(now.begin(), now.end(),
                     [&](const DeviceField& other) { return other.name == field.name; })) {
      changed.push_back({field.name, {}, {}});
    }
  }
  return changed;
}

}  // namespace

DeviceDescriptions::Settings DeviceDescriptions::settings_of(const Device& device) {
  Settings settings{};
  if (device.motor != nullptr) {
    const Motor& motor = *device.motor;
    const PidGains& gains = motor.control_pid();
    settings = {motor.min_position(),
                motor.max_position(),
                motor.max_velocity(),
                motor.max_force(),
                motor.multiplier(),
                motor.acceleration(),
                gains.p,
                gains.i,
                gains.d};
  }
  if (device.emitter != nullptr) {
    settings[0] = device.emitter->channel();
    settings[1] = device.emitter->range();
  }
  if (device.receiver != nullptr) {
    settings[2] = device.receiver->channel();
  }
  if (device.connector != nullptr) {
    settings[0] = device.connector->locked() ? 1.0 : 0.0;
  }
  if (device.led != nullptr) {
    settings[0] = device.led->value();
  }
  return settings;
}

void DeviceDescriptions::describe_all(Welcome& welcome) {
  while (known_.size() < robot_.devices().size()) {
    welcome.devices.push_back(describe_next());
  }
}

WelcomeDevice DeviceDescriptions::describe_next() {
  const Device& device = robot_.devices()[known_.size()];
  known_.push_back({settings_of(device), fields_of(device)});
  WelcomeDevice welcome = describe(device);
  for (const DeviceField& field : known_.back().fields) {
    welcome.fields.push_back(described(field));
  }
  return welcome;
}

void DeviceDescriptions::write_new(Writer& writer) {
  while (known_.size() < std::min(robot_.devices().size(), kMaxDevices)) {
    encode_setup(text_, describe_next());
    const auto tag = static_cast<std::uint16_t>(known_.size());
    encode_reading(writer, {tag, ReadingKind::NewDevice, {}, 0, as_text(text_.bytes())});
  }
}

void DeviceDescriptions::write_changes(Writer& writer, bool other_tree) {
  SERVOSIM_ASSERT(known_.size() <= robot_.devices().size(), "{} descriptions of {} devices",
                  known_.size(), robot_.devices().size());
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Device& device = robot_.devices()[i];
    Description& known = known_[i];
    const Settings settings = settings_of(device);
    const bool changed = std::exchange(known.is_outdated, false) || settings != known.settings;
    if (!changed && !other_tree) {
      continue;
    }
    known.settings = settings;
    WelcomeDevice now = describe(device);
    now.name = now.model = now.node_type = {};  // they never change
    std::vector<DeviceField> before;
    if (other_tree || device.motor == nullptr) {  // no command sets a field of a motor
      before = std::exchange(known.fields, fields_of(device));
      now.fields = changes(before, known.fields);
    }
    if (changed || !now.fields.empty()) {
      encode_setup(text_, now);
      const auto tag = static_cast<std::uint16_t>(i + 1);
      encode_reading(writer, {tag, ReadingKind::Setup, {}, 0, as_text(text_.bytes())});
    }
  }
}

void DeviceDescriptions::describe_again(std::uint16_t tag, std::string_view field) {
  if (tag > known_.size()) {
    return;
  }
  Description& known = known_[tag - 1u];
  known.is_outdated = true;
  std::erase_if(known.fields, [&](const DeviceField& other) { return other.name == field; });
}

}  // namespace servosim
