// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace servosim::wbt {

/// Heights of smooth hills, row by row, whose lowest is 0 and whose highest is 1. They depend on
/// the arguments alone; each of the `octaves` has half the width and half the height of the last.
/// Needs two points in each direction.
std::vector<double> uneven_terrain(int columns, int rows, std::int32_t seed, int octaves);

}  // namespace servosim::wbt
