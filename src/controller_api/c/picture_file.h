// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Files of pictures. libController must not link a library, so these functions need none, and do
// not pack the pixels.

namespace servosim {

/// Returns a PNG file in colour; both sizes are > 0.
/// @param pixels  rows from the top; a pixel is blue, green, red and alpha
/// @param has_alpha  false if alpha is left out
std::string color_png(std::uint32_t width, std::uint32_t height,
                      std::span<const unsigned char> pixels, bool has_alpha = false);

/// Returns a PNG file with pixels in grey.
/// @param pixels  width * height bytes, rows from the top
std::string grey_png(std::uint32_t width, std::uint32_t height, std::string_view pixels);

/// Returns a Radiance HDR file with numbers in grey, each with a precision of 1/256.
/// @param pixels  width * height numbers >= 0, rows from the top
std::string grey_hdr(std::uint32_t width, std::uint32_t height, std::span<const float> pixels);

}  // namespace servosim
