// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/spring_damper.h"

namespace servosim {

/// The command to a joint in a step: one row of the solver, and an effort that is added to it.
///
/// With the velocity v⁺ at the end of the step, the row puts the effort f on the endpoint for which
///
///     v⁺ = velocity − softness·f,   within |f| <= max_force
///
/// A softness of 0 gives a motor that tracks a velocity. Another one gives a spring and damper: see
/// spring_drive(). Efforts and velocities are positive in the direction in which the joint's
/// position grows.
///
/// Threads: a plain value.
struct JointDrive {
  /// The velocity to track [rad/s|m/s]; finite.
  double velocity = 0.0;
  /// The largest effort of the row, which includes dry friction [N·m|N]; >= 0, also infinite.
  double max_force = 0.0;
  /// An effort that is put on the joint in addition [N·m|N].
  double force = 0.0;
  /// How much velocity the row gives up per effort [rad/(s·N·m)|m/(s·N)]; finite, >= 0.
  double softness = 0.0;

  friend bool operator==(const JointDrive&, const JointDrive&) = default;
};

/// The row of a spring and damper towards a rest position that is `displacement` away:
///
///     f = stiffness·(displacement − h·v⁺) + damping·(rest_velocity − v⁺),   |f| <= max_force
///
/// This is the exact implicit step, which is stable for any stiffness and damping. Arguments are
/// not checked here; Motor::drive() checks the result.
/// @param stiffness  [N·m/rad|N/m]; >= 0
/// @param damping  [N·m·s/rad|N·s/m]; >= 0
/// @param displacement  the rest position less the present position [rad|m]
/// @param rest_velocity  the velocity relative to which the damper brakes [rad/s|m/s]
/// @param max_force  the largest effort [N·m|N]; >= 0
/// @param h  the length of the step [s]; > 0
/// @returns a drive without effect if stiffness and damping are too weak to act (kWeakestSpring)
inline JointDrive spring_drive(double stiffness, double damping, double displacement,
                               double rest_velocity, double max_force, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > kWeakestSpring)) {
    return {};
  }
  return {(stiffness * displacement + damping * rest_velocity) / sum, max_force, 0.0, 1.0 / sum};
}

}  // namespace servosim
