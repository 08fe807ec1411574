// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/picture_file.h"

#include <algorithm>
#include <cmath>

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

/// The bits of a deflate stream (RFC 1951), which fill each byte from its lowest bit on.
class BitString {
 public:
  /// Adds a Huffman code, which begins with its highest bit.
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

// A zlib stream of `count` > 0 zero bytes, as one block with the fixed codes.
std::string packed_zeros(std::uint64_t count) {
  constexpr std::uint64_t kLongest = 258;  // the most bytes that one code repeats
  BitString bits;
  bits.code(0b110, 3);  // the last block, fixed codes
  const auto zero = [&] { bits.code(0b00110000, 8); };
  zero();
  for (std::uint64_t i = 0; i < (count - 1) / kLongest; ++i) {
    bits.code(0b11000101, 8);  // repeats kLongest bytes
    bits.code(0, 5);           // from a distance of one byte
  }
  for (std::uint64_t i = 0; i < (count - 1) % kLongest; ++i) {
    zero();
  }
  bits.code(0, 7);                                             // ends the block
  const auto sum = static_cast<std::uint32_t>(count % 65521);  // the Adler-32 checksum of zeros
  return "\x78\x01" + bits.bytes() + big_endian(sum << 16 | 1u);
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

// A segment of a JPEG file: its marker, its length and its bytes.
std::string segment(unsigned char marker, std::string_view data) {
  const std::string length = big_endian(static_cast<std::uint32_t>(data.size() + 2)).substr(2);
  return std::string("\xff") + static_cast<char>(marker) + length + std::string(data);
}

}  // namespace

std::string black_png(std::uint32_t width, std::uint32_t height) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kEightBitsRgb = "\x08\x02\0\0\0"sv;
  // Each row begins with the number of its filter.
  const std::uint64_t row = 1 + 3 * std::uint64_t{width};
  return png_file(width, height, kEightBitsRgb, packed_zeros(row * height));
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

// A baseline JPEG file (ITU-T T.81) in grey. Each block of 8 x 8 pixels has only its mean: black is
// -1024, in steps of 16 this is -64, a number of 7 bits, which are coded as 63. All further
// differences are 0.
std::string black_jpeg(std::uint32_t width, std::uint32_t height) {
  using std::string_literals::operator""s;
  using std::string_view_literals::operator""sv;
  const std::string steps = std::string(1, '\0') + std::string(64, '\x10');
  const std::string size = big_endian(height).substr(2) + big_endian(width).substr(2);
  const std::string counts_of_two = "\0\2"s + std::string(14, '\0');  // two codes of 2 bits
  const std::string counts_of_one = "\1"s + std::string(15, '\0');    // one code of 1 bit
  const std::uint64_t blocks = std::uint64_t{(width + 7) / 8} * std::uint64_t{(height + 7) / 8};
  // The first block is 01 (a number of 7 bits follows), 0111111 and 0 (the block ends). Each
  // further one is 00 and 0. Ones fill the last byte.
  const std::uint64_t bits = 10 + 3 * (blocks - 1);
  std::string scan((bits + 7) / 8, '\0');
  scan[0] = '\x5f';
  scan[1] = '\x80';
  for (std::uint64_t bit = bits; bit < 8 * scan.size(); ++bit) {
    scan.back() = static_cast<char>(static_cast<unsigned char>(scan.back()) | 0x80u >> bit % 8);
  }
  return "\xff\xd8"s + segment(0xe0, "JFIF\0\1\1\0\0\1\0\1\0\0"sv) + segment(0xdb, steps) +
         segment(0xc0, "\x08" + size + std::string("\1\1\x11\0"sv)) +
         segment(0xc4, "\0"s + counts_of_two + std::string("\0\7"sv)) +
         segment(0xc4, "\x10"s + counts_of_one + std::string("\0"sv)) +
         segment(0xda, "\1\1\0\0\x3f\0"sv) + scan + "\xff\xd9";
}

}  // namespace servosim
