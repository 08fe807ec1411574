// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "wbt/world_file.h"

namespace servosim::wbt {

/// The text of a world: its header with the comments that stood there, then every node. Reading it
/// again gives an equal tree. Shared nodes are written once, with DEF, and then as USE; numbers
/// with as many digits as it takes to read the same bits.
std::string write_world(const WorldFile& world);

}  // namespace servosim::wbt
