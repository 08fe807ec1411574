// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/assert.h"
#include "physics/tree/body_row.h"

namespace servosim {

struct SolverKernel;
struct SolverWork;

/// Whether a row goes into the border where it is within its bounds: it connects two nodes, or is
/// so stiff that as a part of the inertia of one it would cost too many digits.
inline bool is_bordered(const BodyRow& row) {
  constexpr double kMinSoftness = 1e-6;  // in terms of the inertia that the row moves
  return row.ends[1].node != nullptr || row.softness * row.inertia < kMinSoftness;
}

/// The rows within their bounds that are not part of what nodes have to their parents: those
/// between two nodes, and those that are too stiff. Each costs the way from its nodes to the root;
/// together they make a dense system of as many equations.
class Border {
 public:
  void clear() { rows_.clear(); }
  void add(BodyRow& row) {
    SERVOSIM_ASSERT(row.is_bordered && row.ends[0].node != nullptr, "a row of another kind");
    rows_.push_back(&row);
  }
  bool empty() const { return rows_.empty(); }
  const std::vector<BodyRow*>& rows() const { return rows_; }

  /// Makes room in the work for what the passes do with it.
  void set_work(SolverWork& work);
  /// Sets the forces of the rows from their rates without these forces. The trees must have been
  /// eliminated. False if the numbers are not finite.
  bool solve(const SolverKernel& passes, const SolverWork& work);
  /// Solves once more: for the changes of the forces, from what the rows lack.
  void correct(const SolverKernel& passes, const SolverWork& work);

 private:
  void solve_factored();

  std::vector<BodyRow*> rows_;
  std::vector<std::size_t> first_stages_;
  // For ODE's functions.
  std::vector<double> matrix_;
  std::vector<double> diagonal_;
  std::vector<double> forces_;
};

}  // namespace servosim
