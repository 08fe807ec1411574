// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/row_states.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

// fold() and distribute() are inverse to each other: the folded row has the total force of the rows
// at their common rate,
//
//     λ = Σ (d_i − rate)/c_i + φ = (d_e − rate)/c_e + φ
//
// row_states.h has c_e, d_e and φ. Forces are those on the child along +axis.

namespace servosim {

namespace {

using State = Row::State;

}  // namespace

// A row without softness determines the rate alone: then the stiffest row is the folded one.
bool fold(const AxisRows& rows, FoldedRows<double>& folded) {
  SERVOSIM_ASSERT(std::all_of(rows.begin(), rows.end(),
                              [](const AxisRow& row) { return has_bound(row, row.state); }),
                  "one of {} rows is at a bound that it has not", rows.size());
  if (rows.size() == 1) {  // as in most joints
    const AxisRow& row = *rows.begin();
    const bool is_inside = row.state == State::Inside;
    folded = is_inside
                 ? FoldedRows<double>{row.softness, row.target, 0.0}
                 : FoldedRows<double>{0.0, 0.0, row.state == State::AtLow ? row.low : row.high};
    return is_inside;
  }
  int inside = 0;
  const AxisRow* stiffest = nullptr;
  folded = {};
  for (const AxisRow& row : rows) {
    if (row.state == State::Inside) {
      ++inside;
      stiffest = stiffest == nullptr || row.softness < stiffest->softness ? &row : stiffest;
    } else {
      folded.force += row.state == State::AtLow ? row.low : row.high;
    }
  }
  if (inside == 0) {
    return false;
  }
  folded.softness = stiffest->softness;
  folded.target = stiffest->target;
  // Springs in parallel: stiffnesses add up, and targets are weighted with them.
  if (inside > 1 && folded.softness > 0.0) {
    double stiffness = 0.0;
    double pull = 0.0;
    for (const AxisRow& row : rows) {
      if (row.state == State::Inside) {
        stiffness += 1.0 / row.softness;
        pull += row.target / row.softness;
      }
    }
    folded.softness = 1.0 / stiffness;
    folded.target = pull / stiffness;
  }
  return true;
}

// A force (d_i − rate)/c_i of a stiff row would be a small difference of large numbers. So the
// stiffest row inside its bounds gets what the others leave of the total force.
void distribute(double rate, double force, AxisRows& rows) {
  if (rows.size() == 1) {
    AxisRow& row = *rows.begin();
    row.rate = rate;
    row.force = row.state == State::Inside ? force : row.force_at_bound();
    return;
  }
  AxisRow* stiffest = nullptr;
  for (AxisRow& row : rows) {
    row.rate = rate;
    if (row.state == State::Inside && (stiffest == nullptr || row.softness < stiffest->softness)) {
      stiffest = &row;
    }
  }
  double remainder = force;
  for (AxisRow& row : rows) {
    if (&row != stiffest) {
      row.force =
          row.state == State::Inside ? (row.target - rate) / row.softness : row.force_at_bound();
      remainder -= row.force;
    }
  }
  if (stiffest != nullptr) {
    stiffest->force = remainder;
  }
}

}  // namespace servosim
