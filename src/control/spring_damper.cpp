// SPDX-License-Identifier: Apache-2.0
#include "control/spring_damper.h"

#include <algorithm>

namespace servosim {

SoftRow soft_row(double stiffness, double damping, double h) {
  const double sum = h * stiffness + damping;
  if (!(sum > 0.0)) {
    return {};
  }
  const double cfm = 1.0 / sum;
  return {std::min(1.0, h * stiffness * cfm), cfm, true};
}

}  // namespace servosim
