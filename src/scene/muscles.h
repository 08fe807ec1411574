// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scene/placement.h"
#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The Muscle nodes of a motor, offsets as written.
std::vector<MuscleSpec> read_muscles(const wbt::Node& motor, Diagnostics& diagnostics);

/// Turns the start offsets from the frame the joint stands in into the parent Solid's.
void place_muscles(std::vector<MuscleSpec>& muscles, const Placement& at);

}  // namespace servosim
