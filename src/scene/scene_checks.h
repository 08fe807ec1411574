// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "scene/scene.h"

namespace servosim {

/// Warns of what only shows in the whole scene: devices that are called the same, and Solids with
/// and without Physics that do not go together. `blades`: Solids whose Physics was reported and
/// left out.
void check_scene(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics);

}  // namespace servosim
