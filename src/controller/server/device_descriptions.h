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

/// The device descriptions that a controller receives: all of them in the welcome, and in the
/// answer of a step those that a supervisor, another controller or the device itself has changed.
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
  /// Adds what has changed, as readings, to an answer. Most of a description stays until the tree
  /// of the world changes: `other_tree`.
  void write_changes(Writer& writer, bool other_tree);
  /// A command has set `field` of a device, or its motor: the next answer has the resulting value,
  /// also if it equals the one sent last.
  void describe_again(std::uint16_t tag, std::string_view field = {});

 private:
  /// The numbers of a device that both the controller and a supervisor may set.
  using Settings = std::array<double, 9>;
  struct Description {
    Settings settings{};
    std::vector<DeviceField> fields;
    bool is_outdated = false;  ///< a command has set something
  };

  static Settings settings_of(const Device& device);
  WelcomeDevice describe_next();

  const Robot& robot_;
  std::vector<Description> known_;  // by device
  Writer text_;                     // scratch of write_new() and write_changes()
};

}  // namespace servosim
