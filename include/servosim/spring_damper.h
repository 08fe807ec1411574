// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace servosim {

// A smaller sum of h·stiffness and damping moves no mass that can be simulated, and its reciprocal
// overflows in the solver.
inline constexpr double kWeakestSpring = 1e-100;

/// A spring and damper as one soft constraint row of ODE.
///
/// With stiffness k and damping d the row puts −k·(p + h·v⁺) − d·v⁺ on the joint, where p is the
/// distance from the rest position and v⁺ the velocity at the end of the step. This is the exact
/// implicit step, which is stable for any k, d >= 0. In ODE's parameters (its manual, section "How
/// To Use ERP and CFM") ERP = h·k/(h·k + d) and CFM = 1/(h·k + d).
///
/// Threads: a plain value.
struct SoftRow {
  /// The share of the error that a step corrects; in [0, 1].
  double erp = 0.0;
  /// The softness; > 0 if active.
  double cfm = 0.0;
  /// False if k and d are too weak to act: there is no row then.
  bool active = false;
};

/// The row of a spring and damper; not active where h·stiffness + damping <= kWeakestSpring.
/// @param stiffness  [N·m/rad|N/m]; finite, >= 0
/// @param damping  [N·m·s/rad|N·s/m]; finite, >= 0
/// @param h  the length of the step [s]; > 0
inline SoftRow soft_row(double stiffness, double damping, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > kWeakestSpring)) {
    return {};
  }
  const double cfm = 1.0 / sum;
  return {std::min(1.0, h * stiffness * cfm), cfm, true};
}

}  // namespace servosim
