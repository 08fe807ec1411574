// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/row.h"
#include "physics/rows/spatial.h"

namespace servosim {

struct TreeNode;

/// A row on one body or two that is none of the tree's joints: of a contact, of a joint that closes
/// a loop, or of a joint with the world about an axis that stays there.
struct BodyRow : Row {
  BodyRow() {}  // not all bytes of a new one are cleared before its numbers are set

  struct End {
    End() {}
    End(TreeNode* of, const SpatialVector& acts) : node(of), jacobian(acts) {}

    TreeNode* node = nullptr;  ///< null: the world
    SpatialVector jacobian;    ///< λ·jacobian acts on the body, about the node's anchor
  };

  End ends[2];  ///< the first is a node's
  /// The index of the row of the normal force if this row is friction, else −1. The bounds of
  /// friction are ± `friction` times the force of that row; `low` and `high` are then results.
  int normal = -1;
  double friction = 0.0;
  double inertia = 1.0;      ///< about that which the row moves [kg|kg·m²]
  bool is_bordered = false;  // the solver's own: not part of what a node has to its parent

  bool is_part_of_inertia() const { return state == State::Inside && !is_bordered; }
};

}  // namespace servosim
