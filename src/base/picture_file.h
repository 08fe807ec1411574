// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Files of pictures. libController links no library, so these functions need none. Rows of pixels
// begin at the upper left corner, and both sizes are > 0.

namespace servosim {

/// The number of bytes of a pixel: a grey one, red, green and blue, or these and alpha.
enum class PixelBytes : std::uint8_t { Grey = 1, Color = 3, ColorAlpha = 4 };

/// Returns the colours of pixels of blue, green, red and alpha, as the functions below want them.
/// @param bytes  Color, which leaves alpha out, or ColorAlpha
std::string colors_of(std::span<const unsigned char> pixels, PixelBytes bytes);

/// Returns a PNG file. base/packed_png.h makes smaller ones.
std::string png_file(int width, int height, PixelBytes bytes, std::string_view pixels);

/// Returns a baseline JPEG file, without alpha.
/// @param width, height  at most 65535
/// @param quality  1 to 100, as libjpeg counts; up to 90 colours have half the resolution
std::string jpeg_file(int width, int height, PixelBytes bytes, std::string_view pixels,
                      int quality);

/// Returns a Radiance HDR file in grey, whose numbers have a precision of 1/256.
/// @param pixels  width * height finite numbers >= 0
std::string grey_hdr_file(int width, int height, std::span<const float> pixels);

}  // namespace servosim
