// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/client_device.h"

#include <algorithm>
#include <utility>

#include "controller_api/client/supervisor_refs.h"

namespace servosim {

namespace {

WbJointType joint_type(std::uint8_t linear) { return linear != 0 ? WB_LINEAR : WB_ROTATIONAL; }

// The item of that name in `fields`, or their end.
template <typename Fields>
auto find_field(Fields& fields, std::string_view name) {
  return std::find_if(fields.begin(), fields.end(),
                      [&](const ClientField& field) { return field.name == name; });
}

}  // namespace

const ClientField& ClientDevice::field(std::string_view field_name) const {
  static const ClientField none;
  const auto found = find_field(fields, field_name);
  return found == fields.end() ? none : *found;
}

double ClientDevice::number(std::string_view field_name) const {
  const ClientField& found = field(field_name);
  return found.numbers.empty() ? 0.0 : found.numbers.front();
}

double& ClientDevice::setting(std::string_view field_name) {
  const auto found = find_field(fields, field_name);
  ClientField& field = found != fields.end()
                           ? *found
                           : fields.emplace_back(ClientField{std::string(field_name), {}, {}});
  if (field.numbers.empty()) {
    field.numbers.push_back(0.0);
  }
  return field.numbers.front();
}

void ClientDevice::put(ClientField field) {
  const auto found = find_field(fields, field.name);
  if (found != fields.end()) {
    *found = field;  // into the same memory, where that is large enough
  } else {
    fields.push_back(std::move(field));
  }
}

std::string_view lock_field(WbNodeType type) {
  return type == WB_NODE_VACUUM_GRIPPER ? "isOn" : "isLocked";
}

void ClientDevice::take_packet(std::string_view data, std::span<const double, 4> numbers) {
  if (node_type == WB_NODE_RADIO && packets.on_message == nullptr) {
    return;
  }
  constexpr double kMaxBytes = 64u << 20;                          // limit of an unlimited buffer
  const std::vector<double>& asked = field("bufferSize").numbers;  // a Radio has no such field
  const double room = asked.empty() || asked.front() < 0.0 ? kMaxBytes : asked.front();
  if (static_cast<double>(packets.received_bytes + data.size()) <= room) {
    packets.received_bytes += data.size();
    packets.received.push_back(
        {std::string(data), numbers[0], {numbers[1], numbers[2], numbers[3]}});
  }
}

ClientDevice make_device(const WelcomeDevice& welcome) {
  ClientDevice device;
  device.name = welcome.name;
  device.model = welcome.model;
  device.node_type = node_type_named(welcome.node_type);
  device.joint.index = welcome.joint;
  device.joint.has_motor = welcome.has_motor;
  device.joint.has_sensor = welcome.has_sensor;
  device.joint.has_brake = welcome.has_brake;
  static_cast<WelcomeMotor&>(device.motor) = welcome.motor;
  device.sensor_type = joint_type(welcome.sensor_linear);
  device.brake.type = joint_type(welcome.brake_linear);
  for (const WelcomeField& field : welcome.fields) {
    device.fields.push_back({std::string(field.name), std::string(field.text), field.numbers});
  }
  return device;
}

}  // namespace servosim
