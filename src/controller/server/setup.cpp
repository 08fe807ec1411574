// SPDX-License-Identifier: Apache-2.0
// Session: what the controller knows of its devices, at first and when it has changed.
#include <algorithm>
#include <string>
#include <utility>

#include "controller/server/session.h"

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

// All but its fields.
WelcomeDevice describe(const Device& device) {
  WelcomeDevice welcome;
  welcome.name = device.name;
  welcome.model = device.model;
  welcome.node_type = device.node_type;
  welcome.joint = device.joint;
  welcome.has_motor = device.motor != nullptr;
  // The sensor of a motor is read by wb_motor_get_position() only; it is no PositionSensor.
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

// What the world says, and what was set since.
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

// Those of `now` that are not in `known`, and those that are gone, without a value.
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

Session::Settings Session::settings_of(const Device& device) {
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

void Session::introduce_devices(Welcome& welcome) {
  while (known_.size() < robot_.devices().size()) {
    welcome.devices.push_back(introduce_next_device());
  }
}

WelcomeDevice Session::introduce_next_device() {
  const Device& device = robot_.devices()[known_.size()];
  known_.push_back({settings_of(device), fields_of(device)});
  WelcomeDevice welcome = describe(device);
  for (const DeviceField& field : known_.back().fields) {
    welcome.fields.push_back(described(field));
  }
  return welcome;
}

// Those that have come since, before anything is said of them.
void Session::introduce_new_devices() {
  while (started_ && known_.size() < std::min(robot_.devices().size(), kMaxDevices)) {
    encode_setup(setup_, introduce_next_device());
    const auto tag = static_cast<std::uint16_t>(known_.size());
    encode_reading(writer_, {tag, ReadingKind::NewDevice, {}, 0, as_text(setup_.bytes())});
  }
}

void Session::tell_setups(bool other_tree) {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Device& device = robot_.devices()[i];
    Known& known = known_[i];
    const Settings settings = settings_of(device);
    const bool is_news = std::exchange(known.again, false) || settings != known.settings;
    if (!is_news && !other_tree) {
      continue;
    }
    known.settings = settings;
    WelcomeDevice now = describe(device);
    now.name = now.model = now.node_type = {};  // stay
    std::vector<DeviceField> before;
    if (other_tree || device.motor == nullptr) {  // a motor has no field that is set
      before = std::exchange(known.fields, fields_of(device));
      now.fields = changes(before, known.fields);
    }
    if (is_news || !now.fields.empty()) {
      encode_setup(setup_, now);
      const auto tag = static_cast<std::uint16_t>(i + 1);
      encode_reading(writer_, {tag, ReadingKind::Setup, {}, 0, as_text(setup_.bytes())});
    }
  }
}

// The next answer says what `field` is, or what the motor has, whatever the controller knew.
void Session::tell_again(const Command& command, std::string_view field) {
  if (command.tag > known_.size()) {
    return;
  }
  Known& known = known_[command.tag - 1u];
  known.again = true;
  std::erase_if(known.fields, [&](const DeviceField& other) { return other.name == field; });
}

}  // namespace servosim
