// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/picture_file.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace servosim {
namespace {

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xffu);
  }
  return bytes;
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) {
        crc = (crc & 1u) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
      }
      made[byte] = crc;
    }
    return made;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) {
    crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xffu] ^ crc >> 8;
  }
  return ~crc;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc32(body));
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

std::string png_file(std::uint32_t width, std::uint32_t height, std::string_view kind,
                     std::string_view packed_rows) {
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(width) + big_endian(height) + std::string(kind)) +
         chunk("IDAT", packed_rows) + chunk("IEND", {});
}

}  // namespace

std::string color_png(std::uint32_t width, std::uint32_t height,
                      std::span<const unsigned char> pixels, bool has_alpha) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kEightBitsRgb = "\x08\x02\0\0\0"sv;
  constexpr std::string_view kEightBitsRgba = "\x08\x06\0\0\0"sv;
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
  return png_file(width, height, has_alpha ? kEightBitsRgba : kEightBitsRgb, stored(rows));
}

std::string grey_png(std::uint32_t width, std::uint32_t height, std::string_view pixels) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kEightBitsGrey = "\x08\0\0\0\0"sv;
  std::string rows;
  for (std::uint32_t row = 0; row < height; ++row) {
    rows += '\0';  // no filter
    rows += pixels.substr(std::size_t{row} * width, width);
  }
  return png_file(width, height, kEightBitsGrey, stored(rows));
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
