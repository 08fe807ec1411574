// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

// What a world loses when PROTO instances are written out as the nodes they consist of. `kept`: by
// Node::id, the nodes of instances that stay.

/// Warns of each robot of `world` whose controller is found by the project of the world or of the
/// robot's PROTO, but not from that of the written world, which stands in `out_folder`.
void warn_of_lost_controllers(const wbt::WorldFile& world, const std::string& out_folder,
                              const std::set<std::uint32_t>& kept, Diagnostics& diagnostics);

/// Warns, once, where a supervisor may ask an instance for what it defines.
void warn_of_lost_definitions(const wbt::WorldFile& world, const std::set<std::uint32_t>& kept,
                              Diagnostics& diagnostics);

}  // namespace servosim
