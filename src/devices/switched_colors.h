// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/math.h"

namespace servosim {

/// The present colours of what LEDs switch.
struct SwitchedColors {
  std::vector<Vec3> lights;  ///< of each light of WorldSettings::lights
  std::vector<Vec3> leds;    ///< in which each LED shines, by LedSpec::number
};

}  // namespace servosim
