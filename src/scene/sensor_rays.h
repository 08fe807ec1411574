// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "scene/checks.h"
#include "scene/scene.h"

namespace servosim {

/// The rays of a DistanceSensor. The first one, or a ring where they are few, is the middle; the
/// others stand evenly on rings around +x, the outermost one at half the aperture, and left mirrors
/// right.
std::vector<SensorRay> read_rays(const Checked& sensor);

/// How far they reach: to the last value of the lookup table; to infinity without one.
double ray_range(const Checked& sensor, std::span<const LookupRow> table);

}  // namespace servosim
