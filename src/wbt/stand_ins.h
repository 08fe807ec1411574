// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "wbt/reading.h"

/// Floor, the arenas, SolidBox, Wall and UnevenTerrain, for worlds whose PROTO files are not at
/// hand: the same fields, the same shapes to collide with (hills apart), in plain colours.
namespace servosim::wbt {

/// The PROTO interface of a stand-in, in the axes of that version; empty if there is none.
std::string stand_in_interface(std::string_view name, const Version& version);

using BodyWriter = std::string (*)(const Environment&);
/// What writes the body of a stand-in, one Solid; null if there is none.
BodyWriter stand_in_writer(std::string_view name);

}  // namespace servosim::wbt
