// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace servosim {

/// Moves `value` towards `goal` by at most `step` >= 0, and lands on it exactly.
inline double approach(double value, double goal, double step) {
  const double gap = goal - value;
  return std::abs(gap) <= step ? goal : value + std::copysign(step, gap);
}

}  // namespace servosim
