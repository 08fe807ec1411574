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
/// Invariant: text() is what the controller or a supervisor wrote last, as far as follow_tree() has
/// looked.
class CustomData {
 public:
  /// @param before  the text that the previous controller of the robot has set last; without it,
  ///   the text is that of a supervisor or of the file
  CustomData(Simulation& simulation, const Robot& robot, const std::optional<std::string>& before);

  const std::string& text() const { return text_; }
  /// Sets the text for the controller. In a world with supervisors the tree gets it too.
  void set(std::string_view text);
  /// Takes over what a supervisor has written since. @returns whether text() has changed
  bool follow_tree();

 private:
  Simulation& simulation_;
  const Robot& robot_;
  std::string text_;
  std::uint64_t seen_edits_;  // what SimulationCore::edits() was
};

}  // namespace servosim
