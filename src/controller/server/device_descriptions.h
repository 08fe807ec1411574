// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "controller/protocol/protocol.h"
#include "scene/device_spec.h"
#include "servosim/robot.h"

namespace servosim {

/// The descriptions of devices that a controller receives. The welcome has all of them; the answer
/// of a step has those that a supervisor, another controller or the device itself has changed.
///
/// Invariant: device i of the robot has tag i + 1, and a description once it was written.
class DeviceDescriptions {
 public:
  /// `robot` must outlive it.
  explicit DeviceDescriptions(const Robot& robot) : robot_(robot) {}

  /// Describes all devices. The text is valid until the next call of a function that is not const.
  void describe_all(Welcome& welcome);
  /// Adds devices that were added to the robot since, as readings, to an answer.
  void write_new(Writer& writer);
  /// Adds what has changed to an answer, as readings. Only if the tree of the world has changed
  /// (`other_tree`) can most of a description change.
  void write_changes(Writer& writer, bool other_tree);
  /// Notes that a command has set `field` of a device, or its motor. The next answer has the
  /// resulting value, even if it equals the one that was sent last.
  void describe_again(std::uint16_t tag, std::string_view field = {});

 private:
  struct Description {
    std::vector<DeviceSetting> settings;
    std::vector<DeviceField> fields;
    bool is_outdated = false;  ///< a command has set something
  };

  WelcomeDevice describe_next();

  const Robot& robot_;
  std::vector<Description> known_;  // by device
  // Scratch of write_new() and write_changes().
  Writer text_;
  std::vector<DeviceSetting> settings_;
};

}  // namespace servosim
