// SPDX-License-Identifier: Apache-2.0
#include "base/png_file.h"

#include <array>

namespace servosim {
namespace {

std::string png_number(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xffu);
  }
  return bytes;
}

std::uint32_t png_crc(std::string_view bytes) {
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
  return png_number(static_cast<std::uint32_t>(data.size())) + body + png_number(png_crc(body));
}

}  // namespace

std::string png_file(std::uint32_t width, std::uint32_t height, PngPixels pixels,
                     std::string_view packed_rows) {
  using std::string_view_literals::operator""sv;
  const std::string kind =
      "\x08" + std::string(1, static_cast<char>(pixels)) + std::string("\0\0\0"sv);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", png_number(width) + png_number(height) + kind) +
         chunk("IDAT", packed_rows) + chunk("IEND", {});
}

}  // namespace servosim
