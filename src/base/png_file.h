// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace servosim {

/// What the bytes of a pixel of a PNG file are: a grey one, red, green and blue, or these with
/// alpha. The numbers are those of the format.
enum class PngPixels : std::uint8_t { Grey = 0, Color = 2, ColorAlpha = 6 };

/// Returns a PNG file of pixels with 8 bits for each part. libController uses it too, so it needs
/// no library.
/// @param width, height  > 0
/// @param packed_rows  a zlib stream of the rows from the top, each after the byte of its filter
std::string png_file(std::uint32_t width, std::uint32_t height, PngPixels pixels,
                     std::string_view packed_rows);

}  // namespace servosim
