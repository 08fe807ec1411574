// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace servosim {

// Less acts on no mass that can be simulated, and its reciprocal overflows in the solver.
inline constexpr double kWeakestSpring = 1e-100;

/// A spring and damper as one soft constraint row of ODE.
///
/// With stiffness k and damping d the row puts −k·(p + h·v⁺) − d·v⁺ on the joint, v⁺ being the
/// velocity at the end of the step: the exact implicit step, stable for any k, d >= 0.
///
/// Threads: a plain value.
struct SoftRow {
  double erp = 0.0;     ///< share of the error corrected per step, in [0, 1]
  double cfm = 0.0;     ///< softness; > 0
  bool active = false;  ///< false when k = d = 0: no row at all
};

/// `stiffness` [N·m/rad|N/m] and `damping` [N·m·s/rad|N·s/m] finite, their sum with h positive;
/// `h` > 0 [s].
inline SoftRow soft_row(double stiffness, double damping, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > kWeakestSpring)) {
    return {};
  }
  const double cfm = 1.0 / sum;
  return {std::min(1.0, h * stiffness * cfm), cfm, true};
}

}  // namespace servosim
