// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "controller/server/supervisor/field_edit.h"
#include "servosim/simulation.h"
#include "wbt/tree.h"

namespace servosim {

/// Whether the simulation uses what an edit of the tree changes: an edit without an effect needs no
/// rebuild.
class EditEffects {
 public:
  /// Both must outlive it.
  EditEffects(const Simulation& simulation, const wbt::Tree& tree)
      : simulation_(simulation), tree_(tree) {}

  /// Whether the simulation uses a node, or one below it; else it is only drawn.
  bool is_simulated(const wbt::Node& node) const;
  /// The same for one of several nodes.
  bool is_simulated(const std::vector<wbt::NodePtr>& nodes) const;
  /// Whether the simulation uses the field that is edited.
  bool has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                  const FieldEdit& edit) const;

 private:
  const Simulation& simulation_;
  const wbt::Tree& tree_;
};

}  // namespace servosim
