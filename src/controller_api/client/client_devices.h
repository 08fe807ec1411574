// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/nodes.h>
#include <webots/types.h>

#include <cstddef>
#include <deque>

#include "controller_api/client/client_device.h"

namespace servosim {

/// The devices of a robot, by their tags: device i has tag i + 1. Their addresses stay when devices
/// are added.
///
/// Threads: one at a time, with the ControllerClient.
class ClientDevices {
 public:
  void add(const WelcomeDevice& device) { all_.push_back(make_device(device)); }

  std::size_t size() const { return all_.size(); }
  ClientDevice& operator[](std::size_t index) { return all_[index]; }
  const ClientDevice& operator[](std::size_t index) const { return all_[index]; }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  /// The device of a tag if it has the requested part. @throws CallError if not
  ClientDevice& device(WbDeviceTag tag);
  ClientDevice& motor(WbDeviceTag tag);
  ClientDevice& sensor(WbDeviceTag tag);
  ClientDevice& brake(WbDeviceTag tag);
  /// The device of a tag if it is of that node type. @throws CallError if not
  ClientDevice& device(WbDeviceTag tag, WbNodeType type);
  /// The tag of the first device with that part on the same joint as `device`; 0 for none.
  WbDeviceTag sibling(const ClientDevice& device, bool ClientJoint::*part) const;

  /// Called after a setter wrote `value` into a coupled motor. Its siblings get the value times
  /// their multiplier (an infinite position as it is), and do not send what they had of that kind,
  /// which is older.
  void share(const ClientDevice& motor, CommandKind kind, double value);

  /// Gives `motor` and its siblings a new target, to be sent.
  void set_motor_position(ClientDevice& motor, double position);

 private:
  std::deque<ClientDevice> all_;
};

}  // namespace servosim
