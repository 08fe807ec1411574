// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "servosim/math.h"

namespace servosim {

/// Returns the rotation matrix of a quaternion x, y, z, w, which need not have length one. One of
/// zeros means no turn.
inline Mat3 quaternion_matrix(const std::array<double, 4>& q) {
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0.0)) {
    return {};
  }
  const auto [x, y, z, w] = std::array{q[0] / length, q[1] / length, q[2] / length, q[3] / length};
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w),
           1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w),
           1 - 2 * (x * x + y * y)}};
}

}  // namespace servosim
