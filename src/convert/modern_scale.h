// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Since R2023b only what is seen has a scale. In older files it is worked into translations,
/// anchors and the sizes of boundingObjects; what is seen below it gets a Transform. Transforms
/// without scale become Poses.
void use_modern_scale(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
