// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/row.h"
#include "physics/tree/elimination.h"

// On which side of their bounds rows are, and what the rows of an axis are together.

namespace servosim {

/// The relative tolerance of bounds.
inline constexpr double kTolerance = 1e-10;

/// Relative: nearer to both sides of a bound than this.
inline constexpr double kDegenerate = 1e-7;

// The sizes below are for rows of single numbers and of lanes. `inertia` is what the row moves:
// small forces matter to small bodies.

/// What a force inside its bounds is compared with.
template <class Real>
[[gnu::always_inline]] inline Real size_of_force(const Real& force, const Real& inertia) {
  return lesser(Real{} + 1.0, inertia) + absolute(force);
}
/// What the residual of a row at a bound is compared with.
template <class Real>
[[gnu::always_inline]] inline Real size_of_rate(const Real& target, const Real& rate) {
  return 1.0 + absolute(target) + absolute(rate);
}

/// Whether the row can be in this state.
inline bool has_bound(const Row& row, Row::State state) {
  return state == Row::State::AtLow    ? row.low > -kInfinity
         : state == Row::State::AtHigh ? row.high < kInfinity
                                       : state == Row::State::Inside;
}

/// That in which the row starts.
inline Row::State first_state(const Row& row, std::size_t phase) {
  const Row::State first = row.first_state[phase];
  return has_bound(row, first) ? first : Row::State::Inside;
}

/// Where the row has to go, if it breaks its bounds.
[[gnu::always_inline]] inline bool breaks_bounds(const Row& row, double inertia, Row::State& to) {
  if (row.state == Row::State::Inside) {
    if (row.force >= row.low && row.force <= row.high) {  // most do
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

/// Whether it could as well be on the other side of its bound.
[[gnu::always_inline]] inline bool is_degenerate(const Row& row, double inertia) {
  if (row.state == Row::State::Inside) {
    return lesser(row.force - row.low, row.high - row.force) <
           kDegenerate * size_of_force(row.force, inertia);
  }
  return row.state != Row::State::Idle &&
         absolute(row.residual()) < kDegenerate * size_of_rate(row.target, row.rate);
}

/// The rows of an axis in their states. @returns whether any is inside its bounds
bool fold(const AxisRows& rows, FoldedRows<double>& folded);

/// Sets rates and forces of the rows of an axis; `force`: of all together.
void distribute(double rate, double force, AxisRows& rows);

}  // namespace servosim
