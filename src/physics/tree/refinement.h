// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "physics/tree/border.h"
#include "physics/tree/solver_rows.h"
#include "physics/tree/tree_node.h"

namespace servosim {

/// One step of iterative refinement. A stiff row that is part of a body's inertia gives a force
/// that is the small difference of large numbers; digits are lost as the inverse of its softness
/// times the inertias around it. What is missing in the equations of bodies, joints and rows is
/// found with the forces as they are, solved for with what was eliminated before, and added.
class Refinement {
 public:
  /// Improves the motions of all nodes and the forces of joints and rows. The trees must have been
  /// eliminated with the rows in their states; `border` must have solved them.
  void run(std::span<const std::span<TreeNode>> trees, std::span<BodyRow> rows, Border& border);

 private:
  struct Correction {
    SpatialVector missing;  // of the body's equation, at the anchor
    SpatialVector load;     // that, and what comes from the children
    SpatialVector bias;     // x
    SpatialVector drift;    // of the joint's law, with that of its axis
    double push = 0.0;      // κ
    SpatialVector motion;   // results
    SpatialVector force;
    SpatialVector held;  // of a joint with free directions, without them
  };

  Correction& of(const TreeNode& n) { return corrections_[&n - first_]; }
  void add_to_free_forces(TreeNode& n);
  void find_missing(std::span<TreeNode> tree);
  void find_missing_of_joint(const TreeNode& n);
  void add_rows(std::span<const BodyRow> rows);
  void solve(std::span<const std::span<TreeNode>> trees);
  void go_up(std::span<const TreeNode> tree);
  void go_down(std::span<const TreeNode> tree);
  double rate_of(const BodyRow& row);

  const TreeNode* first_ = nullptr;
  std::vector<Correction> corrections_;  // by node, from the first on
};

}  // namespace servosim
