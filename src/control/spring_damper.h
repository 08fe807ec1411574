// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

/// A spring and damper as one soft constraint row of ODE.
///
/// With stiffness k and damping d the row puts −k·(p + h·v⁺) − d·v⁺ on the joint, v⁺ being the
/// velocity at the end of the step: the exact implicit step, stable for any k, d >= 0.
struct SoftRow {
  double erp = 0.0;     ///< share of the error corrected per step, in [0, 1]
  double cfm = 0.0;     ///< softness; > 0
  bool active = false;  ///< false when k = d = 0: no row at all
};

/// `stiffness` [N·m/rad|N/m] and `damping` [N·m·s/rad|N·s/m] finite, their sum with h positive;
/// `h` > 0 [s].
SoftRow soft_row(double stiffness, double damping, double h);

}  // namespace servosim
