// SPDX-License-Identifier: Apache-2.0
// Made by hand: libController brings no libraries along, and nothing but zeros is to be packed.
#include "controller/client/black_png.h"

#include <string_view>

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
  std::uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1u) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
  }
  return ~crc;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc32(body));
}

/// Bits of a deflate stream: each byte is filled from its lowest bit on.
class BitString {
 public:
  /// A Huffman code, which begins with its highest bit.
  void code(unsigned bits, int length) {
    for (int i = length - 1; i >= 0; --i) {
      if (used_ % 8 == 0) {
        bytes_ += '\0';
      }
      const unsigned bit = bits >> i & 1u;
      bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) |
                                        static_cast<unsigned char>(bit << used_ % 8));
      ++used_;
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::uint64_t used_ = 0;
};

// A zlib stream of `count` > 0 zero bytes, in one block with the fixed codes.
std::string packed_zeros(std::uint64_t count) {
  constexpr std::uint64_t kLongest = 258;  // that one code repeats
  BitString bits;
  bits.code(0b110, 3);  // the last block, fixed codes
  const auto zero = [&] { bits.code(0b00110000, 8); };
  zero();
  for (std::uint64_t i = 0; i < (count - 1) / kLongest; ++i) {
    bits.code(0b11000101, 8);  // as often as possible
    bits.code(0, 5);           // the byte before
  }
  for (std::uint64_t i = 0; i < (count - 1) % kLongest; ++i) {
    zero();
  }
  bits.code(0, 7);                                             // end of the block
  const auto sum = static_cast<std::uint32_t>(count % 65521);  // Adler-32 of zeros
  return "\x78\x01" + bits.bytes() + big_endian(sum << 16 | 1u);
}

}  // namespace

std::string black_png(std::uint32_t width, std::uint32_t height) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kEightBitsRgb = "\x08\x02\0\0\0"sv;
  const std::uint64_t row = 1 + 3 * std::uint64_t{width};  // the filter comes first
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(width) + big_endian(height) + std::string(kEightBitsRgb)) +
         chunk("IDAT", packed_zeros(row * height)) + chunk("IEND", {});
}

}  // namespace servosim
