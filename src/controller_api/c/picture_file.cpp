// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/picture_file.h"

#include <cmath>
#include <cstddef>

#include "base/png_file.h"

namespace servosim {
namespace {

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xffu);
  }
  return bytes;
}

// A zlib stream of bytes that are not packed, in blocks.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kMaxBlock = 65535;
  std::string stream = "\x78\x01";
  std::uint32_t low = 1;  // the two halves of the Adler-32 checksum
  std::uint32_t high = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kMaxBlock) {
    const std::string_view block = bytes.substr(at, kMaxBlock);
    const auto size = static_cast<std::uint32_t>(block.size());
    stream += at + kMaxBlock >= bytes.size() ? '\1' : '\0';  // whether it is the last one
    for (const std::uint32_t number : {size, ~size}) {
      stream += static_cast<char>(number & 0xffu);
      stream += static_cast<char>(number >> 8 & 0xffu);
    }
    stream += block;
    for (const char byte : block) {
      low = (low + static_cast<unsigned char>(byte)) % 65521;
      high = (high + low) % 65521;
    }
  }
  return stream + big_endian(high << 16 | low);
}

}  // namespace

std::string color_png(std::uint32_t width, std::uint32_t height,
                      std::span<const unsigned char> pixels, bool has_alpha) {
  std::string rows;
  rows.reserve((std::size_t{4} * width + 1) * height);
  for (std::uint32_t row = 0; row < height; ++row) {
    rows += '\0';  // no filter
    for (std::uint32_t column = 0; column < width; ++column) {
      const unsigned char* const pixel = &pixels[4 * (std::size_t{row} * width + column)];
      for (const int part : {2, 1, 0}) {
        rows += static_cast<char>(pixel[part]);
      }
      if (has_alpha) {
        rows += static_cast<char>(pixel[3]);
      }
    }
  }
  return png_file(width, height, has_alpha ? PngPixels::ColorAlpha : PngPixels::Color,
                  stored(rows));
}

std::string grey_png(std::uint32_t width, std::uint32_t height, std::string_view pixels) {
  std::string rows;
  for (std::uint32_t row = 0; row < height; ++row) {
    rows += '\0';  // no filter
    rows += pixels.substr(std::size_t{row} * width, width);
  }
  return png_file(width, height, PngPixels::Grey, stored(rows));
}

// Each pixel has three mantissas and the exponent of their common factor.
std::string grey_hdr(std::uint32_t width, std::uint32_t height, std::span<const float> pixels) {
  std::string file = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(height) + " +X " +
                     std::to_string(width) + '\n';
  for (const float pixel : pixels) {
    int exponent = 0;
    const double part = std::frexp(static_cast<double>(pixel), &exponent);
    const bool is_black = !(pixel > 1e-38f);
    const int mantissa = is_black ? 0 : static_cast<int>(256.0 * part);
    file.append(3, static_cast<char>(mantissa));
    file += static_cast<char>(is_black ? 0 : exponent + 128);
  }
  return file;
}

}  // namespace servosim
