// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/row.h"
#include "physics/tree/elimination.h"

// On which side of their bounds rows are, and how the rows of an axis become one. In terms of
// row.h, with r = rate + softness·λ − target, a row keeps its bounds if
//
//     Inside:  low ≤ λ ≤ high,        AtLow:  λ = low, r ≥ 0,        AtHigh:  λ = high, r ≤ 0
//
// The rows of an axis that are inside their bounds have the same rate. They are one row with
//
//     1/c_e = Σ 1/c_i,    d_e = c_e·Σ d_i/c_i,    φ = Σ of the forces of the others
//
// c_i is the softness and d_i the target of row i. Forces are positive where they move the child
// along +axis. Source: the complementarity conditions of ODE's dWorldStep;
// docs/explanation/solver.md, "Up" and "Bounds".

namespace servosim {

/// A bound counts as broken only beyond this relative tolerance.
inline constexpr double kTolerance = 1e-10;

/// A row that is closer than this to both sides of a bound, relatively, could be in either state.
inline constexpr double kDegenerate = 1e-7;

/// Rows that break their bounds change their states all at once as long as their number falls at
/// least once in this many rounds, and then the last one alone, which cannot return to the same
/// states: the matrix of the rows is positive definite. Source: J. J. Júdice and F. M. Pires, "A
/// block principal pivoting algorithm for large-scale strictly monotone linear complementarity
/// problems" (1994).
inline constexpr int kRoundsWithoutGain = 6;

// The sizes below are for rows of single numbers and of lanes. `inertia` is what the row moves:
// small forces matter to small bodies.

/// Returns the size with which errors of a force are compared.
template <class Real>
[[gnu::always_inline]] inline Real size_of_force(const Real& force, const Real& inertia) {
  return lesser(Real{} + 1.0, inertia) + absolute(force);
}
/// Returns the size with which the residual of a row at a bound is compared.
template <class Real>
[[gnu::always_inline]] inline Real size_of_rate(const Real& target, const Real& rate) {
  return 1.0 + absolute(target) + absolute(rate);
}

/// Returns whether the row can be in this state.
inline bool has_bound(const Row& row, Row::State state) {
  return state == Row::State::AtLow    ? row.low > -kInfinity
         : state == Row::State::AtHigh ? row.high < kInfinity
                                       : state == Row::State::Inside;
}

/// Returns the state in which the row starts. A row may have lost the bound that it had.
inline Row::State first_state(const Row& row, std::size_t phase) {
  const Row::State first = row.first_state[phase];
  return has_bound(row, first) ? first : Row::State::Inside;
}

/// Returns whether the row breaks its bounds. `to` is then the state that it must take. With r, the
/// residual, bounds are broken if
///
///     Inside:         λ < low − ε·(min(1, inertia) + |λ|), or λ > high + the same
///     AtLow, AtHigh:  ∓r > ε·(1 + |target| + |rate|)
///
/// where ε is kTolerance.
[[gnu::always_inline]] inline bool breaks_bounds(const Row& row, double inertia, Row::State& to) {
  if (row.state == Row::State::Inside) {
    if (row.force >= row.low && row.force <= row.high) {  // most rows do
      return false;
    }
    const double tolerance = kTolerance * size_of_force(row.force, inertia);
    to = row.force < row.low - tolerance ? Row::State::AtLow : Row::State::AtHigh;
    return to == Row::State::AtLow || row.force > row.high + tolerance;
  }
  to = Row::State::Inside;
  if (row.state == Row::State::Idle) {
    return false;
  }
  const double tolerance = kTolerance * size_of_rate(row.target, row.rate);
  return row.state == Row::State::AtLow ? row.residual() < -tolerance : row.residual() > tolerance;
}

/// Returns whether the row could as well be on the other side of its bound.
[[gnu::always_inline]] inline bool is_degenerate(const Row& row, double inertia) {
  if (row.state == Row::State::Inside) {
    return lesser(row.force - row.low, row.high - row.force) <
           kDegenerate * size_of_force(row.force, inertia);
  }
  return row.state != Row::State::Idle &&
         absolute(row.residual()) < kDegenerate * size_of_rate(row.target, row.rate);
}

/// Folds the rows of an axis in their states into one.
/// @returns whether any row is inside its bounds
bool fold(const AxisRows& rows, FoldedRows<double>& folded);

/// Sets the rates and forces of the rows of an axis. `force` is that of all rows together.
void distribute(double rate, double force, AxisRows& rows);

}  // namespace servosim
