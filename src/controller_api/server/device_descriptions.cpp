// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/device_descriptions.h"

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
  const MotorLimits limits = motor.limits();
  const MotorTargets& targets = motor.targets();
  welcome.min_position = limits.min_position;
  welcome.max_position = limits.max_position;
  welcome.max_velocity = limits.max_velocity;
  welcome.max_force = limits.max_force;
  welcome.multiplier = limits.multiplier;
  welcome.position = targets.position;
  welcome.velocity = targets.velocity;
  welcome.acceleration = targets.acceleration;
  welcome.available_force = targets.available_force;
  const PidGains& gains = targets.gains;
  welcome.pid = {gains.p, gains.i, gains.d};
  return welcome;
}

// Returns the description without the fields.
WelcomeDevice describe(const DeviceNode& node) {
  const auto* const motor = node.get<Motor>();
  const auto* const sensor = node.get<PositionSensor>();
  const auto* const brake = node.get<Brake>();
  WelcomeDevice welcome;
  welcome.name = node.name;
  welcome.model = node.model;
  welcome.node_type = node.node_type;
  welcome.joint = node.joint;
  welcome.has_motor = motor != nullptr;
  // Only wb_motor_get_position() reads the sensor of a motor. For the controller it is no
  // PositionSensor.
  welcome.has_sensor = sensor != nullptr && (motor == nullptr || node.node_type == "Servo");
  welcome.has_brake = brake != nullptr;
  if (welcome.has_motor) {
    welcome.motor = describe(*motor, *node.spec->motor);
  }
  if (welcome.has_sensor) {
    welcome.sensor_linear = is_linear(sensor->type());
  }
  if (welcome.has_brake) {
    welcome.brake_linear = is_linear(brake->type());
  }
  return welcome;
}

void list_settings(const DeviceNode& node, std::vector<DeviceSetting>& settings) {
  settings.clear();
  for (const auto& device : node.devices) {
    device->list_settings(settings);
  }
}

// Returns the fields of the world file, with the values that were set since.
std::vector<DeviceField> fields_of(const DeviceNode& node,
                                   const std::vector<DeviceSetting>& settings) {
  std::vector<DeviceField> fields = node.spec->fields;
  for (DeviceField& field : fields) {
    for (const DeviceSetting& setting : settings) {
      if (field.name == setting.field) {
        field.numbers.assign(setting.numbers.begin(), setting.numbers.begin() + setting.count);
      }
    }
  }
  return fields;
}

WelcomeField described(const DeviceField& field) { return {field.name, field.text, field.numbers}; }

// Returns the fields of `now` that `known` does not have, and those that are gone, without a value.
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

void DeviceDescriptions::describe_all(Welcome& welcome) {
  while (known_.size() < robot_.devices().size()) {
    welcome.devices.push_back(describe_next());
  }
}

WelcomeDevice DeviceDescriptions::describe_next() {
  const DeviceNode& node = robot_.devices()[known_.size()];
  list_settings(node, settings_);
  known_.push_back({settings_, fields_of(node, settings_)});
  WelcomeDevice welcome = describe(node);
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
    const DeviceNode& node = robot_.devices()[i];
    Description& known = known_[i];
    list_settings(node, settings_);
    const bool changed = std::exchange(known.is_outdated, false) || settings_ != known.settings;
    if (!changed && !other_tree) {
      continue;
    }
    known.settings = settings_;
    WelcomeDevice now = describe(node);
    now.name = now.model = now.node_type = {};  // these never change
    const std::vector<DeviceField> before = std::exchange(known.fields, fields_of(node, settings_));
    now.fields = changes(before, known.fields);
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
