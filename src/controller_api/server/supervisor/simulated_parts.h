// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "controller_api/server/supervisor/field_edit.h"
#include "servosim/simulation.h"
#include "wbt/tree.h"

namespace servosim {

/// Tells whether the simulation uses what an edit of the tree changes. An edit without an effect
/// needs no rebuild.
class SimulatedParts {
 public:
  /// Both arguments must outlive the object.
  SimulatedParts(const Simulation& simulation, const wbt::Tree& tree)
      : simulation_(simulation), tree_(tree) {}

  /// Whether the simulation uses the node or one below it. If not, it is only drawn.
  bool is_simulated(const wbt::Node& node) const;
  /// Whether that is so for at least one of the nodes.
  bool is_simulated(const std::vector<wbt::NodePtr>& nodes) const;
  /// Whether the simulation uses the field that is edited.
  bool has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                  const FieldEdit& edit) const;

 private:
  const Simulation& simulation_;
  const wbt::Tree& tree_;
};

}  // namespace servosim
