// SPDX-License-Identifier: Apache-2.0
// The files of pictures that this project writes, as libpng, libjpeg and stb_image read them.
#include "base/picture_file.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/packed_png.h"
#include "run/test_support.h"
#include "scene/mesh_file.h"

namespace servosim {
namespace picture_file_test {

constexpr int kWide = 37;
constexpr int kHigh = 21;
constexpr std::size_t kPixels = kWide * kHigh;

// Blue, green, red and alpha: two slopes and a step.
std::vector<unsigned char> slopes() {
  std::vector<unsigned char> pixels;
  for (int y = 0; y < kHigh; ++y) {
    for (int x = 0; x < kWide; ++x) {
      pixels.insert(pixels.end(),
                    {static_cast<unsigned char>(6 * x), static_cast<unsigned char>(12 * y),
                     static_cast<unsigned char>(x < kWide / 2 ? 255 : 0),
                     static_cast<unsigned char>(255 - 5 * y)});
    }
  }
  return pixels;
}

std::string colors() { return colors_of(slopes(), PixelBytes::Color); }

std::shared_ptr<const Image> read(const std::string& name, const std::string& bytes,
                                  bool is_light = false) {
  const test::TempFolder folder;
  Diagnostics diagnostics;
  MeshFiles files(folder.path(), diagnostics);
  const ReadImage image = files.image(folder.write(name, bytes), is_light);
  if (const auto* fault = std::get_if<std::string>(&image)) {
    ADD_FAILURE() << *fault;
    return std::make_shared<const Image>();
  }
  return std::get<std::shared_ptr<const Image>>(image);
}

// The mean difference of the colours of a picture.
double difference(const Image& image) {
  EXPECT_EQ(image.width, kWide);
  EXPECT_EQ(image.height, kHigh);
  const std::vector<unsigned char> pixels = slopes();
  if (image.pixels.size() != pixels.size()) {
    return 1e9;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    for (std::size_t part = 0; part < 3; ++part) {
      sum += std::abs(image.pixels[i + part] - pixels[i + 2 - part]);
    }
  }
  return sum / (0.75 * static_cast<double>(pixels.size()));
}

// The pixels of a PNG file in the kind that it has, and that kind of libpng.
struct DecodedPng {
  std::string pixels;
  std::uint32_t format = 0;
};

DecodedPng decoded(const std::string& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&png, file.data(), file.size()), 0) << png.message;
  EXPECT_EQ(png.width, std::uint32_t{kWide});
  EXPECT_EQ(png.height, std::uint32_t{kHigh});
  DecodedPng result{std::string(PNG_IMAGE_SIZE(png), '\0'), png.format};
  EXPECT_NE(png_image_finish_read(&png, nullptr, result.pixels.data(), 0, nullptr), 0)
      << png.message;
  return result;
}

TEST(PictureFile, BothWritersOfPngAreExact) {
  const std::vector<unsigned char> pixels = slopes();
  std::string grey;
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    grey += static_cast<char>(pixels[4 * pixel + 1]);
  }
  struct Kind {
    PixelBytes bytes;
    std::string pixels;
    std::uint32_t format;
  };
  for (const auto& [bytes, expected, format] :
       {Kind{PixelBytes::Grey, grey, PNG_FORMAT_GRAY},
        Kind{PixelBytes::Color, colors(), PNG_FORMAT_RGB},
        Kind{PixelBytes::ColorAlpha, colors_of(pixels, PixelBytes::ColorAlpha), PNG_FORMAT_RGBA}}) {
    ASSERT_EQ(expected.size(), kPixels * static_cast<std::size_t>(bytes));
    for (auto* const writer : {&png_file, &packed_png}) {
      const DecodedPng png = decoded(writer(kWide, kHigh, bytes, expected));
      EXPECT_EQ(png.format, format);
      EXPECT_EQ(png.pixels, expected);
    }
  }
}

TEST(PictureFile, ColorsAreThoseOfTheirPixels) {
  const std::vector<unsigned char> pixels{13, 57, 201, 94, 31, 75, 102, 49};
  EXPECT_EQ(colors_of(pixels, PixelBytes::Color), "\xc9\x39\x0d\x66\x4b\x1f");
  EXPECT_EQ(colors_of(pixels, PixelBytes::ColorAlpha), "\xc9\x39\x0d\x5e\x66\x4b\x1f\x31");
}

TEST(PictureFile, JpegIsAsGoodAsItsQuality) {
  double before = 1e9;
  std::size_t smaller = 0;
  for (const int quality : {1, 30, 75, 100}) {
    const std::string file = jpeg_file(kWide, kHigh, PixelBytes::Color, colors(), quality);
    const double now = difference(*read("a.jpg", file));
    EXPECT_LT(now, before) << quality;
    EXPECT_GT(file.size(), smaller) << quality;
    before = now;
    smaller = file.size();
  }
  EXPECT_LT(before, 1.0);
}

// The transform of T.81 turns such pixels into numbers of up to 1024.
TEST(PictureFile, JpegHoldsTheStrongestContrast) {
  std::string pixels;
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    pixels += static_cast<char>(pixel * 7 % 3 == 0 ? 255 : 0);
  }
  const auto image = read("a.jpg", jpeg_file(kWide, kHigh, PixelBytes::Grey, pixels, 100));
  ASSERT_EQ(image->pixels.size(), 4 * kPixels);
  double sum = 0.0;
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    sum += std::abs(image->pixels[4 * pixel] - static_cast<unsigned char>(pixels[pixel]));
  }
  EXPECT_LT(sum / static_cast<double>(kPixels), 2.0);
}

// Sharp edges between colours are blurred where colours have half the resolution.
TEST(PictureFile, JpegHasWholeColorsFrom91On) {
  const auto error_of_stripes = [](int quality) {
    std::string pixels;
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      pixels +=
          pixel % kWide % 2 == 0 ? std::string("\xc8\x1e\x28", 3) : std::string("\x14\x28\xd2", 3);
    }
    const auto image = read("a.jpg", jpeg_file(kWide, kHigh, PixelBytes::Color, pixels, quality));
    double sum = 0.0;
    for (std::size_t pixel = 0; pixel < kPixels && 4 * pixel < image->pixels.size(); ++pixel) {
      sum += std::abs(image->pixels[4 * pixel] - static_cast<unsigned char>(pixels[3 * pixel]));
    }
    return sum / static_cast<double>(kPixels);
  };
  EXPECT_GT(error_of_stripes(90), 40.0);
  EXPECT_LT(error_of_stripes(91), 8.0);
}

// A pixel has three mantissas of 8 bits and the exponent of their factor, plus 128. Rows of 8 or
// more pixels are packed by the lengths of equal bytes, of each of these four in turn.
TEST(PictureFile, HdrHasThePrecisionOfItsMantissas) {
  const std::vector<float> narrow{0.0F, 1.0F, 0.3F, 0.002F, 7.25F, 1e-3F};
  const std::string file = grey_hdr_file(3, 2, narrow);
  ASSERT_TRUE(file.starts_with("#?RADIANCE\n")) << file;
  const std::string_view size = "\n\n-Y 2 +X 3\n";
  const std::size_t head = file.find(size);
  ASSERT_NE(head, file.npos);
  const std::string_view pixels = std::string_view(file).substr(head + size.size());
  ASSERT_EQ(pixels.size(), 4 * narrow.size());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    const auto part = [&](std::size_t at) {
      return static_cast<unsigned char>(pixels[4 * i + at]);
    };
    EXPECT_EQ(part(0), part(1));
    EXPECT_EQ(part(0), part(2));
    const double light = part(3) == 0 ? 0.0 : std::ldexp(part(0), part(3) - 128 - 8);
    EXPECT_LE(light, narrow[i]);
    EXPECT_NEAR(light, narrow[i], narrow[i] / 128.0) << i;  // the least mantissa is 128
  }
  const auto loaded = read("narrow.hdr", file, true);
  EXPECT_EQ(std::string(loaded->pixels.begin(), loaded->pixels.end()), pixels);
  const std::string equal = grey_hdr_file(9, 1, std::vector<float>(9, 0.75F));
  EXPECT_TRUE(equal.ends_with(std::string("\2\2\0\x9\x89\xc0\x89\xc0\x89\xc0\x89\x80", 12)));
  std::vector<std::uint8_t> wide;
  for (int i = 0; i < 9; ++i) {
    wide.insert(wide.end(), {0xc0, 0xc0, 0xc0, 0x80});
  }
  EXPECT_EQ(read("wide.hdr", equal, true)->pixels, wide);
}

}  // namespace picture_file_test
}  // namespace servosim
