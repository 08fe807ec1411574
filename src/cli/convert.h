// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

// What a world loses when its PROTO instances are written out as the nodes they consist of.

/// Warns of each robot of `world` whose controller is found by the project of the world or of the
/// robot's PROTO, but not from that of the written world, which stands in `out_folder`.
void warn_of_lost_controllers(const wbt::WorldFile& world, const std::string& out_folder,
                              Diagnostics& diagnostics);

/// Warns, once, where a supervisor may ask an instance for what it defines.
void warn_of_lost_definitions(const wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
