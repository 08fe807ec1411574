// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "controller_api/protocol/protocol.h"
#include "scene/device_spec.h"
#include "servosim/robot.h"

namespace servosim {

/// The descriptions of devices that a controller receives. The welcome has all of them; the answer
/// of a step has those that a supervisor, another controller or the device itself has changed.
///
/// Invariant: device node i of the robot has tag i + 1; `known_` has a description of each node
/// that was written, as the controller knows it.
///
/// Threads: one at a time, with the simulation.
class DeviceDescriptions {
 public:
  /// `robot` must outlive it.
  explicit DeviceDescriptions(const Robot& robot) : robot_(robot) {}

  /// Adds the descriptions of all devices to a welcome. Their texts are valid until the next call
  /// of a function that is not const.
  void describe_all(Welcome& welcome);
  /// Adds a reading to an answer for each device that is new on the robot.
  void write_new(Writer& writer);
  /// Adds a reading to an answer for each description that has changed.
  /// @param other_tree  whether the tree of the world has changed; only then all of a
  ///   description is compared, otherwise only the settings of the devices
  void write_changes(Writer& writer, bool other_tree);
  /// Notes that a command has set a value of a device. The next answer has the resulting value,
  /// even if it equals the one that was sent last.
  /// @param tag  the tag of the device
  /// @param field  the field that was set; empty for a value of the motor
  void describe_again(std::uint16_t tag, std::string_view field = {});

 private:
  // What the controller knows of a device.
  struct Description {
    std::vector<DeviceSetting> settings;
    std::vector<DeviceField> fields;
    bool is_outdated = false;  ///< a command has set something
  };

  WelcomeDevice describe_next();

  const Robot& robot_;
  std::vector<Description> known_;  // by the index of the device
  // Scratch memory of write_new() and write_changes().
  Writer text_;
  std::vector<DeviceSetting> settings_;
};

}  // namespace servosim
