// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "servosim/math.h"

namespace servosim {

/// The angle between the direction that was up in a body at its first orientation and the direction
/// that is up now [rad].
class Tilt {
 public:
  /// The arguments are the next orientation as a unit quaternion; NaN means none.
  double next(double x, double y, double z, double w) {
    // The world's z axis in the body's frame is the last row of the rotation matrix.
    const Vec3 up{2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)};
    start_ = start_.value_or(up);
    const double cosine = start_->x * up.x + start_->y * up.y + start_->z * up.z;
    return std::acos(std::clamp(cosine, -1.0, 1.0));
  }

 private:
  std::optional<Vec3> start_;
};

}  // namespace servosim
