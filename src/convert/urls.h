// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Makes relative paths to textures, meshes, sounds and importable PROTOs lead from `folder`, which
/// is absolute, to the files they named where they stood: in the world or in a PROTO file. Web
/// addresses stay.
void move_urls(wbt::WorldFile& world, const std::string& folder, const SourceMap& sources);

}  // namespace servosim
