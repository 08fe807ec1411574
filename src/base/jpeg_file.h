// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace servosim {

/// Returns a baseline JPEG file (ITU-T T.81) without subsampling.
/// @param width, height  from 1 to 65535
/// @param pixels  rows from the top; a pixel is blue, green, red and a byte that is not used
/// @param quality  from 1 to 100, as libjpeg counts
std::string jpeg_file(std::uint32_t width, std::uint32_t height,
                      std::span<const unsigned char> pixels, int quality);

}  // namespace servosim
