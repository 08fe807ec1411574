// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "servosim/simulation.h"

namespace servosim {

/// The text of a robot's field customData, which its controller and supervisors share through the
/// node tree.
///
/// Invariant: text() is what the controller or a supervisor has written last before the last call
/// of set() or follow_tree().
///
/// Threads: one at a time, with the simulation.
class CustomData {
 public:
  /// Both references must outlive the object.
  /// @param simulation  the simulation that contains the robot
  /// @param robot  the robot
  /// @param before  the text that the previous controller of the robot has set last; without it,
  ///   the text is that of a supervisor or of the file
  CustomData(Simulation& simulation, const Robot& robot, const std::optional<std::string>& before);

  const std::string& text() const { return text_; }
  /// Sets the text for the controller. In a world with supervisors the tree gets it too.
  void set(std::string_view text);
  /// Takes over what a supervisor has written since the last call.
  /// @returns whether text() has changed
  bool follow_tree();

 private:
  Simulation& simulation_;
  const Robot& robot_;
  std::string text_;
  std::uint64_t seen_edits_;  // WorldInspector::edits() when the tree was read or written last
};

}  // namespace servosim
