// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/client_devices.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "controller_api/client/call_error.h"

namespace servosim {

namespace {

ClientDevice& checked(ClientDevice& device, bool right) {
  if (!right) {
    throw CallError("invalid device tag: \"" + device.name + "\" is of type " +
                    wb_node_get_name(device.node_type) + '.');
  }
  return device;
}

ClientDevice& with_part(ClientDevice& device, bool ClientJoint::*part) {
  return checked(device, device.joint.*part);
}

}  // namespace

ClientDevice& ClientDevices::device(WbDeviceTag tag) {
  if (tag > all_.size()) {
    throw CallError("device with tag=" + std::to_string(tag) + " not found; invalid device tag.");
  }
  if (tag == 0) {
    throw CallError("invalid device tag: 0 is no device.");
  }
  return all_[tag - 1u];
}

ClientDevice& ClientDevices::device(WbDeviceTag tag, WbNodeType type) {
  ClientDevice& found = device(tag);
  return checked(found, found.node_type == type);
}

ClientDevice& ClientDevices::motor(WbDeviceTag tag) {
  return with_part(device(tag), &ClientJoint::has_motor);
}

ClientDevice& ClientDevices::sensor(WbDeviceTag tag) {
  return with_part(device(tag), &ClientJoint::has_sensor);
}

ClientDevice& ClientDevices::brake(WbDeviceTag tag) {
  return with_part(device(tag), &ClientJoint::has_brake);
}

WbDeviceTag ClientDevices::sibling(const ClientDevice& device, bool ClientJoint::*part) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const ClientDevice& other) {
    return other.joint.*part && other.joint.index == device.joint.index && device.joint.index >= 0;
  });
  return found == all_.end() ? WbDeviceTag{0} : static_cast<WbDeviceTag>(found - all_.begin() + 1);
}

void ClientDevices::share(const ClientDevice& motor, CommandKind kind, double value) {
  if (motor.motor.coupling == 0) {
    return;
  }
  for (ClientDevice& other : all_) {
    if (&other == &motor || !other.joint.has_motor ||
        other.motor.coupling != motor.motor.coupling) {
      continue;
    }
    const double scaled = std::isinf(value) ? value : value * other.motor.multiplier;
    (kind == CommandKind::Position   ? other.motor.position
     : kind == CommandKind::Velocity ? other.motor.velocity
                                     : other.motor.force) = scaled;
    other.requests &= ~bit(kind);
  }
}

void ClientDevices::set_motor_position(ClientDevice& motor, double position) {
  motor.motor.position = position;
  motor.requests |= bit(CommandKind::Position);
  share(motor, CommandKind::Position, position);
}

}  // namespace servosim
