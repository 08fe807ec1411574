// SPDX-License-Identifier: Apache-2.0
#include "sim/muscles.h"

#include <cmath>
#include <numbers>

#include "scene/scene.h"

namespace servosim {

// The radius is Webots' formula.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status) {
  const double length = norm(endpoint * muscle.end_offset - muscle.start_offset);
  return {status, length, std::sqrt(3.0 * muscle.volume / (4.0 * std::numbers::pi * length))};
}

}  // namespace servosim
