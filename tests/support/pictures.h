// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
/// @param pixels  red, green, blue and alpha of each pixel, rows from the top; at most 16,000 bytes
inline std::string png(std::uint32_t width, std::uint32_t height,
                       const std::vector<std::uint8_t>& pixels) {
  const auto number = [](std::uint32_t n) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(n >> shift & 255u);
    }
    return bytes;
  };
  const auto chunk = [&number](const std::string& named) {  // CRC-32 of its name and its data
    std::uint32_t sum = 0xffffffffu;
    for (const char byte : named) {
      sum ^= static_cast<std::uint8_t>(byte);
      for (int bit = 0; bit < 8; ++bit) {
        sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xedb88320u : 0u);
      }
    }
    return number(static_cast<std::uint32_t>(named.size() - 4)) + named + number(~sum);
  };
  std::string rows;
  for (std::uint32_t y = 0; y < height; ++y) {
    rows += '\0';  // this row has no filter
    rows.append(reinterpret_cast<const char*>(pixels.data()) + std::size_t{4} * width * y,
                std::size_t{4} * width);
  }
  // One stored block of zlib, with the sum Adler-32.
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : rows) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521u;
    b = (b + a) % 65521u;
  }
  const auto size = static_cast<std::uint32_t>(rows.size());
  const std::string block{'\x78',
                          '\x01',
                          '\x01',
                          static_cast<char>(size & 255u),
                          static_cast<char>(size >> 8),
                          static_cast<char>(~size & 255u),
                          static_cast<char>(~size >> 8 & 255u)};
  return std::string("\x89PNG\r\n\x1a\n") +
         chunk("IHDR" + number(width) + number(height) + std::string("\x08\x06\0\0\0", 5)) +
         chunk("IDAT" + block + rows + number(b << 16 | a)) + chunk("IEND");
}

}  // namespace servosim::test
