// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/world_view.h"

namespace servosim {

/// A world for people: settings, and for each Robot its devices, joint tree and bodies. `path` is
/// the world as the user calls it.
std::string info_text(const WorldView& view, const std::string& path);

}  // namespace servosim
