// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/png_file.h"

namespace servosim {

/// Returns a PNG file that zlib has compressed.
/// @param width, height  > 0
/// @param rows  the pixels from the upper left corner, of one byte or of red, green and blue
std::string packed_png(std::uint32_t width, std::uint32_t height, PngPixels pixels,
                       std::string_view rows);

}  // namespace servosim
