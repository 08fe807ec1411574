// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controller_api/server/supervisor/field_values.h"
#include "controller_api/server/supervisor/live_fields.h"
#include "controller_api/server/supervisor/tree_editor.h"
#include "servosim/simulation.h"
#include "wbt/field_place.h"
#include "wbt/tree.h"

namespace servosim {

/// The fields of a simulation's nodes by paths such as `ROBOT.ARM.physics.mass` or
/// `arm/shoulder.maxTorque` (see FieldSetting). A program reads and edits them as one supervisor
/// would: each edit acts at once.
class Fields {
 public:
  /// `simulation` must outlive it.
  explicit Fields(Simulation& simulation) : simulation_(simulation), editor_(simulation, live_) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  /// @throws wbt::FieldPathError for a path that leads nowhere
  wbt::FieldPlace find(std::string_view path);
  /// The names of the fields of a node. @throws wbt::FieldPathError for a path that leads nowhere
  std::vector<std::string> names(std::string_view path);
  /// The present value. @throws wbt::FieldPathError if there is no such item
  wbt::Value get(const wbt::FieldPlace& place);
  /// Sets the value, and rebuilds the simulation if it uses that value. Warnings go to the notices
  /// of the simulation.
  /// @param value  of the type of the place
  /// @throws SupervisorRequestError if the value cannot be set or simulated; nothing has changed
  ///   then
  void set(const wbt::FieldPlace& place, wbt::Value value);
  /// Does the same for a number of a node.
  void set(std::uint32_t node, std::string_view field, double value);

 private:
  const wbt::Node& node(std::uint32_t id) const { return *editor_.tree().find(id)->node; }

  Simulation& simulation_;
  LiveFields live_{simulation_};
  TreeEditor editor_;
};

}  // namespace servosim
