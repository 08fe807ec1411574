// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Writes out defaults that were others in the version of a node, renames and drops fields that
/// present files no longer have. Before use_modern_axes(), which changes the versions.
void use_modern_fields(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
