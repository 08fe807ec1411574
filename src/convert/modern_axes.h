// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Turns what stands along other axes in present files (cylinders, planes, cameras, ...), makes
/// gravity a number with a coordinate system, and gives every node the newest version.
void use_modern_axes(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
