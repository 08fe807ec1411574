// SPDX-License-Identifier: Apache-2.0
#include "servosim/math.h"

#include <array>
#include <cmath>
#include <cstddef>

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

AxisAngle axis_angle(const Mat3& r) {
  const Vec3 twice_sine{r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)};
  const double cosine = 0.5 * (r(0, 0) + r(1, 1) + r(2, 2) - 1.0);
  const double angle = std::atan2(0.5 * norm(twice_sine), cosine);
  if (angle < 1e-15) {
    return {{0.0, 0.0, 1.0}, 0.0};
  }
  if (cosine > -0.5) {
    return {unit_or(twice_sine, {0.0, 0.0, 1.0}), angle};
  }
  // Near half a turn the sine is inexact. The largest column of R + Rᵀ + ... is parallel to the
  // axis.
  std::size_t k = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    k = r.m[4 * i] > r.m[4 * k] ? i : k;
  }
  std::array<double, 3> axis{};
  for (std::size_t i = 0; i < 3; ++i) {
    axis[i] = 0.5 * (r.m[3 * i + k] + r.m[3 * k + i]) - (i == k ? cosine : 0.0);
  }
  Vec3 along = unit_or({axis[0], axis[1], axis[2]}, {0.0, 0.0, 1.0});
  along = dot(along, twice_sine) < 0.0 ? -along : along;
  return {along, angle};
}

Pose turn_about(const Vec3& anchor, const Vec3& axis, double angle) {
  const Mat3 r = rotation_matrix({axis, angle});
  return {r, anchor - r * anchor};
}

}  // namespace servosim
