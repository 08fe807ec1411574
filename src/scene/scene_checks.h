// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"

namespace servosim {

/// Warns of what only shows in the whole scene: names that are not unique, and Solids with and
/// without Physics that do not go together.
void check_scene(const Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
