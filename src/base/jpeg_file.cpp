// SPDX-License-Identifier: Apache-2.0
#include "base/jpeg_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numbers>
#include <string_view>

namespace servosim {

namespace {

constexpr int kSide = 8;
constexpr int kBlock = kSide * kSide;
using Block = std::array<double, kBlock>;

// The order in which the numbers of a block are coded.
constexpr std::array<std::uint8_t, kBlock> kZigzag{
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// The steps of table K.1, which T.81 gives as examples for quality 50.
constexpr std::array<std::uint8_t, kBlock> kSteps{
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
    14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
    18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

// A table of Huffman codes: how many codes have each length from 1 on, and their symbols. These are
// the tables K.3 and K.5 of T.81, for differences of means and for all other numbers.
struct CodeTable {
  std::array<std::uint8_t, 16> counts;
  std::string_view symbols;
};
constexpr CodeTable kMeans{{0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
                           {"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b", 12}};
constexpr CodeTable kOthers{
    {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d},
    {"\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71\x14\x32\x81\x91\xa1"
     "\x08\x23\x42\xb1\xc1\x15\x52\xd1\xf0\x24\x33\x62\x72\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26"
     "\x27\x28\x29\x2a\x34\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56"
     "\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83\x84\x85"
     "\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa"
     "\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6"
     "\xd7\xd8\xd9\xda\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9"
     "\xfa",
     162}};

struct Code {
  unsigned bits = 0;
  int length = 0;
};
using Codes = std::array<Code, 256>;  // by symbol

Codes codes_of(const CodeTable& table) {
  Codes codes;
  unsigned next = 0;
  std::size_t symbol = 0;
  for (int length = 1; length <= 16; ++length) {
    for (int i = 0; i < table.counts[static_cast<std::size_t>(length) - 1]; ++i) {
      codes[static_cast<unsigned char>(table.symbols[symbol++])] = {next++, length};
    }
    next <<= 1;
  }
  return codes;
}

// The bits of a scan, from the highest of each byte on. A byte of ones is followed by zeros.
class Bits {
 public:
  explicit Bits(std::string& bytes) : bytes_(bytes) {}
  void add(Code code) {
    for (int i = code.length - 1; i >= 0; --i) {
      byte_ = byte_ << 1 | (code.bits >> i & 1u);
      if (++used_ == 8) {
        flush();
      }
    }
  }
  void end() {
    while (used_ != 0) {
      add({1, 1});
    }
  }

 private:
  void flush() {
    bytes_ += static_cast<char>(byte_);
    if (byte_ == 0xffu) {
      bytes_ += '\0';
    }
    byte_ = 0;
    used_ = 0;
  }

  std::string& bytes_;
  unsigned byte_ = 0;
  int used_ = 0;
};

// The bits of a number and how many they are. Negative ones count down from all ones.
Code bits_of(int number) {
  Code code;
  for (int left = std::abs(number); left != 0; left >>= 1) {
    ++code.length;
  }
  code.bits = static_cast<unsigned>(number < 0 ? number + (1 << code.length) - 1 : number);
  return code;
}

// The discrete cosine transform of a block in rows and columns.
Block transformed(const Block& pixels) {
  static const Block cosines = [] {
    Block made{};
    for (int wave = 0; wave < kSide; ++wave) {
      for (int place = 0; place < kSide; ++place) {
        made[static_cast<std::size_t>(wave * kSide + place)] =
            (wave == 0 ? std::sqrt(0.125) : 0.5) *
            std::cos((2 * place + 1) * wave * std::numbers::pi / 16.0);
      }
    }
    return made;
  }();
  Block rows{};
  Block both{};
  for (std::size_t row = 0; row < kSide; ++row) {
    for (std::size_t wave = 0; wave < kSide; ++wave) {
      for (std::size_t x = 0; x < kSide; ++x) {
        rows[row * kSide + wave] += cosines[wave * kSide + x] * pixels[row * kSide + x];
      }
    }
  }
  for (std::size_t wave = 0; wave < kSide; ++wave) {
    for (std::size_t column = 0; column < kSide; ++column) {
      for (std::size_t y = 0; y < kSide; ++y) {
        both[wave * kSide + column] += cosines[wave * kSide + y] * rows[y * kSide + column];
      }
    }
  }
  return both;
}

class JpegWriter {
 public:
  JpegWriter(std::uint32_t width, std::uint32_t height, std::span<const unsigned char> pixels,
             int quality)
      : width_(width), height_(height), pixels_(pixels), scan_(file_) {
    // The rule of libjpeg.
    const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    for (std::size_t i = 0; i < kBlock; ++i) {
      steps_[i] = static_cast<std::uint8_t>(std::clamp((kSteps[i] * percent + 50) / 100, 1, 255));
    }
  }

  std::string take() {
    using std::string_view_literals::operator""sv;
    file_ = "\xff\xd8";
    add_segment(0xe0, "JFIF\0\1\1\0\0\1\0\1\0\0"sv);
    std::string steps(1, '\0');
    for (const std::size_t place : kZigzag) {
      steps += static_cast<char>(steps_[place]);
    }
    add_segment(0xdb, steps);
    add_segment(0xc0, "\x08" + number(height_) + number(width_) +
                          std::string("\3\1\x11\0\2\x11\0\3\x11\0"sv));
    add_table('\0', kMeans);
    add_table('\x10', kOthers);
    add_segment(0xda, "\3\1\0\2\0\3\0\0\x3f\0"sv);
    add_scan();
    return file_ + "\xff\xd9";
  }

 private:
  static std::string number(std::uint32_t value) {
    return {static_cast<char>(value >> 8), static_cast<char>(value & 0xffu)};
  }

  void add_segment(unsigned char marker, std::string_view data) {
    file_ += '\xff';
    file_ += static_cast<char>(marker);
    file_ += number(static_cast<std::uint32_t>(data.size() + 2));
    file_ += data;
  }

  void add_table(char kind, const CodeTable& table) {
    std::string data(1, kind);
    data.append(table.counts.begin(), table.counts.end());
    add_segment(0xc4, data + std::string(table.symbols));
  }

  void add_scan() {
    std::array<int, 3> means{};
    for (std::uint32_t top = 0; top < height_; top += kSide) {
      for (std::uint32_t left = 0; left < width_; left += kSide) {
        for (std::size_t part = 0; part < 3; ++part) {
          add_block(transformed(block_at(left, top, part)), means[part]);
        }
      }
    }
    scan_.end();
  }

  // Brightness and two differences of colour, all about 0. The edge of a picture continues.
  Block block_at(std::uint32_t left, std::uint32_t top, std::size_t part) const {
    static constexpr std::array<std::array<double, 3>, 3> kOfBlueGreenRed{
        {{0.114, 0.587, 0.299}, {0.5, -0.331264, -0.168736}, {-0.081312, -0.418688, 0.5}}};
    Block block{};
    for (std::uint32_t i = 0; i < kBlock; ++i) {
      const std::uint32_t x = std::min(left + i % kSide, width_ - 1);
      const std::uint32_t y = std::min(top + i / kSide, height_ - 1);
      const unsigned char* const pixel = &pixels_[std::size_t{4} * (std::size_t{y} * width_ + x)];
      block[i] = part == 0 ? -128.0 : 0.0;
      for (std::size_t color = 0; color < 3; ++color) {
        block[i] += kOfBlueGreenRed[part][color] * pixel[color];
      }
    }
    return block;
  }

  void add_block(const Block& block, int& mean) {
    const auto rounded = [&](std::size_t place) {
      return static_cast<int>(std::lround(block[place] / steps_[place]));
    };
    const Code difference = bits_of(rounded(0) - mean);
    mean = rounded(0);
    scan_.add(means_[static_cast<std::size_t>(difference.length)]);
    scan_.add(difference);
    unsigned zeros = 0;
    for (std::size_t i = 1; i < kBlock; ++i) {
      const int value = std::clamp(rounded(kZigzag[i]), -1023, 1023);  // at most 10 bits
      if (value == 0) {
        ++zeros;
        continue;
      }
      for (; zeros >= 16; zeros -= 16) {
        scan_.add(others_[0xf0]);
      }
      const Code bits = bits_of(value);
      scan_.add(others_[zeros << 4 | static_cast<unsigned>(bits.length)]);
      scan_.add(bits);
      zeros = 0;
    }
    if (zeros > 0) {
      scan_.add(others_[0]);  // the block ends
    }
  }

  std::uint32_t width_;
  std::uint32_t height_;
  std::span<const unsigned char> pixels_;
  std::array<std::uint8_t, kBlock> steps_{};
  std::string file_;
  Bits scan_;
  Codes means_ = codes_of(kMeans);
  Codes others_ = codes_of(kOthers);
};

}  // namespace

std::string jpeg_file(std::uint32_t width, std::uint32_t height,
                      std::span<const unsigned char> pixels, int quality) {
  return JpegWriter(width, height, pixels, quality).take();
}

}  // namespace servosim
