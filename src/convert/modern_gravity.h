// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Makes gravity a number along the downward axis of a stated coordinateSystem. Where it pointed
/// along none, the whole world is turned, with a warning.
void use_modern_gravity(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
