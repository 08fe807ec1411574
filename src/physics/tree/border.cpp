// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/border.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "physics/tree/solver_kernel.h"

// The rows of the border are solved by ODE's LDLᵀ functions, in the order in which the round has
// added them:
//
//     A + diag(softness) = L·D·Lᵀ,    forces = (L·D·Lᵀ)⁻¹·(target − rate)
//
// With redundant rows without softness D has zeros, or numbers that are 0 but for rounding. The
// forces are then not finite, or do not satisfy the rows, and ODE solves the island.

namespace servosim {

namespace {

// Returns the distance of two rows of a matrix of ODE, which start at multiples of four numbers.
std::size_t padded(std::size_t n) { return n > 1 ? (n + 3) / 4 * 4 : n; }

}  // namespace

// The memory is reused in the next round, so it grows only with the largest border.
void Border::set_work(SolverWork& work) {
  const std::size_t count = rows_.size();
  first_stages_.resize(count + 1);
  work.skip = padded(count);
  matrix_.assign(count * work.skip, 0.0);
  diagonal_.resize(count);
  forces_.resize(count);
  work.bordered_count = count;
  work.bordered = rows_.data();
  work.matrix = matrix_.data();
  work.first_stages = first_stages_.data();
  work.changes = forces_.data();
}

// Without the border's forces, the rows have the rates r that couple_border() computes.
bool Border::solve(const SolverKernel& passes, const SolverWork& work) {
  SERVOSIM_ASSERT(work.bordered_count == rows_.size() && work.matrix == matrix_.data(),
                  "{} rows of {}", work.bordered_count, rows_.size());
  // Finds the rates r and the lower half of A + diag(softness).
  passes.couple_border(work);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    forces_[i] = rows_[i]->target - rows_[i]->rate;
  }
  const int count = static_cast<int>(rows_.size());
  // The factors are kept for correct().
  dFactorLDLT(matrix_.data(), diagonal_.data(), count, static_cast<int>(work.skip));
  solve_factored();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i]->set_force(forces_[i]);
  }
  return std::all_of(forces_.begin(), forces_.end(), [](double f) { return std::isfinite(f); });
}

// forces_ contains the changes of the rates that the corrections of the trees cause. What is left
// of the residual goes to the right side.
void Border::correct(const SolverKernel& passes, const SolverWork& work) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    forces_[i] = -rows_[i]->residual() - forces_[i];
  }
  solve_factored();
  passes.correct_with_border(work);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i]->set_force(rows_[i]->force + forces_[i]);
  }
}

void Border::solve_factored() {
  const int count = static_cast<int>(rows_.size());
  dSolveLDLT(matrix_.data(), diagonal_.data(), forces_.data(), count,
             static_cast<int>(padded(rows_.size())));
}

}  // namespace servosim
