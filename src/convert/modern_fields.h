// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Writes out defaults that were others in the version of a node, renames and drops fields that
/// present files no longer have. After the other passes; versions stay.
void use_modern_fields(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
