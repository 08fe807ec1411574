// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/spring_damper.h"

namespace servosim {

/// The command to a joint in a step: one row of the solver, and an effort beside it.
///
/// With the velocity v⁺ at the end of the step, the row puts the effort f on the endpoint for which
///
///     v⁺ = velocity − softness·f,   within |f| <= max_force
///
/// so that a softness of 0 is a motor, and another a spring and damper: see spring_drive().
///
/// Threads: a plain value.
struct JointDrive {
  double velocity = 0.0;   ///< to track [rad/s|m/s]
  double max_force = 0.0;  ///< of the row, friction included [N·m|N]; >= 0
  double force = 0.0;      ///< added directly [N·m|N]
  double softness = 0.0;   ///< velocity given up per effort [rad/(s·N·m)|m/(s·N)]; >= 0

  friend bool operator==(const JointDrive&, const JointDrive&) = default;
};

/// The row of a spring and damper towards a rest position `displacement` away that moves itself at
/// `rest_velocity`:
///
///     f = stiffness·(displacement − h·v⁺) + damping·(rest_velocity − v⁺),   |f| <= max_force
///
/// the exact implicit step, stable for any stiffness [N·m/rad|N/m] and damping
/// [N·m·s/rad|N·s/m] >= 0. Without either it does nothing. `h` > 0 [s].
inline JointDrive spring_drive(double stiffness, double damping, double displacement,
                               double rest_velocity, double max_force, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > kWeakestSpring)) {
    return {};
  }
  return {(stiffness * displacement + damping * rest_velocity) / sum, max_force, 0.0, 1.0 / sum};
}

}  // namespace servosim
