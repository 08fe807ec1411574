// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/picture_file.h"

namespace servosim {

/// Returns a PNG file that zlib has compressed.
/// @param width, height  > 0
/// @param pixels  rows from the upper left corner
std::string packed_png(int width, int height, PixelBytes bytes, std::string_view pixels);

}  // namespace servosim
