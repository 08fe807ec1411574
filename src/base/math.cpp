// SPDX-License-Identifier: Apache-2.0
#include "servosim/math.h"

namespace servosim {

Mat3 rotation_matrix(const AxisAngle& rotation) {
  const Vec3 u = unit_or(rotation.axis, {0.0, 0.0, 0.0});
  if (u == Vec3{} || rotation.angle == 0.0) {
    return {};
  }
  const double c = std::cos(rotation.angle);
  const double s = std::sin(rotation.angle);
  const double t = 1.0 - c;
  return {{t * u.x * u.x + c, t * u.x * u.y - s * u.z, t * u.x * u.z + s * u.y,
           t * u.x * u.y + s * u.z, t * u.y * u.y + c, t * u.y * u.z - s * u.x,
           t * u.x * u.z - s * u.y, t * u.y * u.z + s * u.x, t * u.z * u.z + c}};
}

Pose turn_about(const Vec3& anchor, const Vec3& axis, double angle) {
  const Mat3 r = rotation_matrix({axis, angle});
  return {r, anchor - r * anchor};
}

}  // namespace servosim
