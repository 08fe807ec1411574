// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"

namespace servosim::still {

/// From where a still is taken.
struct StillEye {
  Pose pose;                   ///< in the world: x forward, y to the left, z up
  double field_of_view = 1.0;  ///< angle that the width spans [rad]
  double near = 0.01;          ///< surfaces at a smaller depth are not seen [m]

  /// A point in pixels from the upper left corner, and its depth.
  struct Spot {
    double x = 0.0;
    double y = 0.0;
    double depth = 0.0;  ///< along the forward axis [m]
  };
  /// Returns where a point of its own frame is seen in a picture. Its depth has to be above 0.
  Spot spot_of(const Vec3& seen, int width, int height) const;
};

/// The angle of the height of a picture that no Viewpoint gives [rad].
inline constexpr double kHeightAngle = 0.6981317007977318;  // 40 degrees, as in the page

/// Returns the eye at a place that looks at a target, with kHeightAngle.
StillEye eye_at(const Vec3& place, const Vec3& target, const Vec3& up, int width, int height);

}  // namespace servosim::still
