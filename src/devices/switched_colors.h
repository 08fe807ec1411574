// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "servosim/math.h"

namespace servosim {

/// What devices change of the look of a world: the present colours of what LEDs switch, and the
/// spots of lasers.
struct SwitchedColors {
  std::vector<Vec3> lights;  ///< of each light of WorldSettings::lights
  std::vector<Vec3> leds;    ///< in which each LED shines, by LedSpec::number
  /// Where each laser shines, by BodySensorSpec::laser: a pose in the world whose z axis is the
  /// normal of the surface there. Nothing where there is no spot.
  std::vector<std::optional<Pose>> spots;
};

}  // namespace servosim
