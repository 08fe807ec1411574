// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/node.h"
#include "wbt/reading.h"

/// Floor, the arenas, SolidBox, Wall and UnevenTerrain, for worlds whose PROTO files are not at
/// hand: the same fields, the same shapes to collide with (hills apart), in plain colours.
namespace servosim::wbt {

/// The PROTO interface of a stand-in, in the axes of that version; empty if there is none.
std::string stand_in_interface(std::string_view name, const Version& version);

using BodyWriter = std::string (*)(const Environment&);
/// What writes the body of a stand-in, one Solid; null if there is none.
BodyWriter stand_in_writer(std::string_view name);

/// Gives the Solid of a stand-in children that show what its boundingObject holds, in plain
/// colours: floors in one, all else in another. The geometries are shared.
void show_shapes(Node& solid);

/// Heights of smooth hills, row by row, whose lowest is 0 and whose highest is 1. They depend on
/// the arguments alone; each of the `octaves` has half the width and half the height of the last.
/// Needs two points in each direction.
std::vector<double> uneven_terrain(int columns, int rows, std::int32_t seed, int octaves);

}  // namespace servosim::wbt
