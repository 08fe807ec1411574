// SPDX-License-Identifier: Apache-2.0
#include "base/roll_pitch_yaw.h"

#include <cmath>

namespace servosim {

Mat3 rotation_of_rpy(const Vec3& rpy) {
  return rotation_matrix({{0.0, 0.0, 1.0}, rpy.z}) * rotation_matrix({{0.0, 1.0, 0.0}, rpy.y}) *
         rotation_matrix({{1.0, 0.0, 0.0}, rpy.x});
}

// The rows of the matrix are those of Rz·Ry·Rx. Without a cosine of the pitch, roll and yaw turn
// about the same line.
Vec3 rpy_of_rotation(const Mat3& r) {
  const double cosine = std::hypot(r(0, 0), r(1, 0));
  const double pitch = std::atan2(-r(2, 0), cosine);
  if (cosine < 1e-9) {
    return {std::atan2(-r(1, 2), r(1, 1)), pitch, 0.0};
  }
  return {std::atan2(r(2, 1), r(2, 2)), pitch, std::atan2(r(1, 0), r(0, 0))};
}

}  // namespace servosim
