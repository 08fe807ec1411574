// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "physics/rows/row.h"
#include "physics/rows/spatial.h"

// A contact, an attachment, or a joint that closes a loop consists of rows on one or two bodies.
// With J_i, the Jacobian of the row at body i, t_i, the motion of the anchor of that body's node,
// divided by h, and λ, the force of the row, such a row is
//
//     Σ J_i·t_i + softness·λ = target,    low ≤ λ ≤ high
//
// The rows of a coupling act at more than two bodies. Such a row is followed by `more` rows that
// hold its further ends, and nothing else; the sum is over the ends of all of them.
//
// The force on body i is λ·J_i about the anchor. For a contact, λ > 0 pushes its first body along
// the normal; for a joint it pushes the child along +axis. A row along a direction has λ in N and a
// target in m/s²; a row about a direction has them in N·m and rad/s². The equation is that of
// row.h.

namespace servosim {

struct TreeNode;

/// A row on bodies that does not belong to a joint of the tree: of a contact, of a joint that
/// closes a loop, of an attachment, or of a coupling of joints.
struct BodyRow : Row {
  BodyRow() {}  // does not clear all bytes, since all numbers are set afterwards

  /// What the row does at one body.
  struct End {
    End() {}
    End(TreeNode* of, const SpatialVector& acts) : node(of), jacobian(acts) {}

    TreeNode* node = nullptr;  ///< null for the world
    SpatialVector jacobian;    ///< J: λ·J acts on the body, about the node's anchor
  };

  End ends[2];  ///< the first is never the world
  /// If this row is friction, this is the index of the row of the normal force λ_n; otherwise it is
  /// −1. Then |λ| ≤ friction·λ_n, and `low` and `high` are set from that.
  int normal = -1;
  double friction = 0.0;  ///< μ of a force, or the length of rolling friction [m]
  double inertia = 1.0;   ///< about the inertia that the row moves [kg|kg·m²]
  /// How many rows that follow hold further ends of this one. Such a row has as many ends as a
  /// coupling needs, at most kMaxCoupledJoints - 1, and rows of contacts stay small.
  std::uint16_t more = 0;
  bool has_further_ends = false;  ///< holds further ends of a row before it
  bool is_bordered = false;       // the solver's own; see Border

  /// Returns whether the row acts as a part of the body's inertia, see docs/explanation/solver.md,
  /// "Rows on bodies".
  bool is_part_of_inertia() const { return state == State::Inside && !is_bordered; }
  /// Returns whether the softness is more than rounding. Forces of redundant rows with less are not
  /// unique.
  bool is_soft() const { return softness * inertia >= 1e-12; }
  /// Returns this row with those that hold its further ends. The row must be in an array.
  std::span<BodyRow> all_ends() { return {this, std::size_t{1} + more}; }
  std::span<const BodyRow> all_ends() const { return {this, std::size_t{1} + more}; }
  /// Sets λ, also where further ends are.
  void set_force(double lambda) {
    for (BodyRow& row : all_ends()) {
      row.force = lambda;
    }
  }
};

}  // namespace servosim
