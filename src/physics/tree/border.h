// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/assert.h"
#include "physics/tree/body_row.h"

// The border is a dense system for rows that cannot be part of a body's inertia. Let r be the rates
// of these rows without their forces λ, and A_ij the change of the rate of row i by a unit force of
// row j. Then
//
//     (A + diag(softness))·λ = target − r
//
// The matrix is symmetric and positive definite, so LDLᵀ solves it. Each entry A_ij is the sum,
// over the nodes on the common way of rows i and j to the root, of the work of one load along the
// motion from the other. The page docs/explanation/solver.md, "Rows on bodies", says how the border
// and the trees work together. Signs are those of the rows.

namespace servosim {

struct SolverKernel;
struct SolverWork;

/// Returns whether a row goes into the border while it is within its bounds: if it connects two
/// nodes or more, or if it is so stiff that, as a part of a body's inertia, it would cost too many
/// digits.
inline bool is_bordered(const BodyRow& row) {
  constexpr double kMinSoftness = 1e-6;  // of softness·inertia
  return row.ends[1].node != nullptr || row.more > 0 || row.softness * row.inertia < kMinSoftness;
}

/// Solves for the rows within their bounds that are not part of the inertia of bodies. Each of them
/// costs one way from its nodes to the root; the cost of the dense system grows with the cube of
/// their number. Where that is too much, Trees leaves the island to ODE.
///
/// A round calls clear(), add() for each row, set_work(), solve(), and correct() if it refines.
///
/// Threads: one at a time.
class Border {
 public:
  /// Must be called before the rows of a round are added.
  void clear() { rows_.clear(); }
  /// Adds a row that is inside its bounds. It must stay at its address until the end of the round.
  void add(BodyRow& row) {
    SERVOSIM_ASSERT(row.is_bordered && row.ends[0].node != nullptr, "a row of another kind");
    rows_.push_back(&row);
  }
  bool empty() const { return rows_.empty(); }
  const std::vector<BodyRow*>& rows() const { return rows_; }

  /// Gives the passes room for the matrix and the ways to the root.
  void set_work(SolverWork& work);
  /// Sets the forces of the rows from their rates without these forces. The trees must have been
  /// eliminated. Returns false if some force is not finite.
  bool solve(const SolverKernel& passes, const SolverWork& work);
  /// Does one step of refinement: solves for the changes of the forces from the residuals of the
  /// rows.
  void correct(const SolverKernel& passes, const SolverWork& work);

 private:
  // Replaces forces_, the right side, by the solution.
  void solve_factored();

  std::vector<BodyRow*> rows_;
  // By row: where its way to the root begins among all stages.
  std::vector<std::size_t> first_stages_;
  // In the layout of ODE's LDLᵀ functions.
  std::vector<double> matrix_;
  std::vector<double> diagonal_;
  std::vector<double> forces_;
};

}  // namespace servosim
