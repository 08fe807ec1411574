// SPDX-License-Identifier: Apache-2.0
#include "control/spring_damper.h"

#include <algorithm>

#include "servosim/joint_drive.h"

namespace servosim {

namespace {

// Less acts on no mass that can be simulated, and its reciprocal overflows in the solver.
constexpr double kWeakest = 1e-100;

}  // namespace

SoftRow soft_row(double stiffness, double damping, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > kWeakest)) {
    return {};
  }
  const double cfm = 1.0 / sum;
  return {std::min(1.0, h * stiffness * cfm), cfm, true};
}

JointDrive spring_drive(double stiffness, double damping, double displacement, double rest_velocity,
                        double max_force, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > kWeakest)) {
    return {};
  }
  return {(stiffness * displacement + damping * rest_velocity) / sum, max_force, 0.0, 1.0 / sum};
}

}  // namespace servosim
