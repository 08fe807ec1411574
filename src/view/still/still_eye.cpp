// SPDX-License-Identifier: Apache-2.0
#include "view/still/still_eye.h"

#include <cmath>

namespace servosim::still {

StillEye::Spot StillEye::spot_of(const Vec3& seen, int width, int height) const {
  const double scale = 0.5 * width / (std::tan(0.5 * field_of_view) * seen.x);
  return {0.5 * width - scale * seen.y, 0.5 * height - scale * seen.z, seen.x};
}

StillEye eye_at(const Vec3& place, const Vec3& target, const Vec3& up, int width, int height) {
  const Vec3 forward = unit_or(target - place, {1.0, 0.0, 0.0});
  const Vec3 other = std::abs(forward.x) < 0.9 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const bool is_along = norm(cross(up, forward)) < 1e-6;
  const Vec3 left = unit_or(cross(is_along ? other : up, forward), other);
  const Vec3 above = cross(forward, left);
  StillEye eye;
  eye.pose = {
      {{forward.x, left.x, above.x, forward.y, left.y, above.y, forward.z, left.z, above.z}},
      place};
  eye.field_of_view = 2.0 * std::atan(std::tan(0.5 * kHeightAngle) * width / height);
  eye.near = std::max(norm(target - place) / 200.0, 1e-6);
  return eye;
}

}  // namespace servosim::still
