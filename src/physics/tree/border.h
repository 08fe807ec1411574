// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "physics/tree/solver_rows.h"
#include "physics/tree/tree_node.h"

namespace servosim {

/// Whether a row goes into the border where it is within its bounds: it connects two nodes, or is
/// so stiff that as a part of the inertia of one it would cost too many digits.
bool is_bordered(const BodyRow& row);

/// The rows within their bounds that are not part of what nodes have to their parents: those
/// between two nodes, and those that are too stiff. Each costs the way from its nodes to the root;
/// together they make a dense system of as many equations.
class Border {
 public:
  void clear() { rows_.clear(); }
  void add(BodyRow& row) { rows_.push_back(&row); }
  bool empty() const { return rows_.empty(); }
  const std::vector<BodyRow*>& rows() const { return rows_; }

  /// Sets the forces of the rows from their rates without these forces. The trees must have been
  /// eliminated. False if the numbers are not finite.
  bool solve();
  /// Solves once more, for corrections() of the forces; `missing` is what the rows lack.
  template <typename Missing>
  void correct(Missing missing) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      forces_[i] = missing(*rows_[i]);
    }
    solve_factored();
  }
  const std::vector<double>& corrections() const { return forces_; }

 private:
  // A node on the way of a force to the root.
  struct Stage {
    const TreeNode* node;
    SpatialVector load;    // of the force, at the node's anchor
    SpatialVector motion;  // that the load gives the anchor while the parent rests
  };

  void solve_factored();
  void follow(const BodyRow& row);
  double coupling(std::size_t one, std::size_t other) const;

  std::vector<BodyRow*> rows_;
  std::vector<Stage> stages_;       // of each row in turn, leaves first
  std::vector<std::size_t> begin_;  // by row, and the end of all
  // For ODE's functions.
  std::vector<double> matrix_;
  std::vector<double> diagonal_;
  std::vector<double> forces_;
};

}  // namespace servosim
