// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wbt/world_file.h"

namespace servosim::wbt {

/// Does the same as read_world_text() for a text that diagnostics.sources() already knows as
/// `file`, such as one that the program has made of another file.
WorldFile read_made_world(std::uint32_t file, const std::string& folder, const ReadOptions& options,
                          Diagnostics& diagnostics);

}  // namespace servosim::wbt
