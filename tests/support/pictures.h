// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_png.h"

namespace servosim::test {

/// Returns a picture of 2 x 2 pixels: red 255 and 0 above, 51 and 102 below.
inline std::string small_png() {
  constexpr std::string_view kHex =
      "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73000000144944415478da63"
      "f8cf0004ff198c3939d338390117c902bcf14461a10000000049454e44ae426082";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < kHex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// Returns the bytes of a PNG file.
/// @param width, height  > 0
/// @param pixels  red, green, blue and alpha of each pixel, rows from the top
inline std::string png(int width, int height, const std::vector<std::uint8_t>& pixels) {
  return packed_png(width, height, PixelBytes::ColorAlpha,
                    {reinterpret_cast<const char*>(pixels.data()), pixels.size()});
}

}  // namespace servosim::test
