// SPDX-License-Identifier: Apache-2.0
// The files of pictures that controllers write, as libpng and libjpeg read them.
#include "controller_api/c/picture_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/jpeg_file.h"
#include "run/test_support.h"
#include "scene/mesh_file.h"

namespace servosim {
namespace {

constexpr int kWide = 37;
constexpr int kHigh = 21;

// Blue, green, red and a byte that is not used: two slopes and a step.
std::vector<unsigned char> slopes() {
  std::vector<unsigned char> pixels;
  for (int y = 0; y < kHigh; ++y) {
    for (int x = 0; x < kWide; ++x) {
      pixels.insert(pixels.end(),
                    {static_cast<unsigned char>(6 * x), static_cast<unsigned char>(12 * y),
                     static_cast<unsigned char>(x < kWide / 2 ? 255 : 0), 7});
    }
  }
  return pixels;
}

std::shared_ptr<const Image> read(const std::string& name, const std::string& bytes) {
  const test::TempFolder folder;
  Diagnostics diagnostics;
  MeshFiles files(folder.path(), diagnostics);
  const ReadImage image = files.image(folder.write(name, bytes));
  if (const auto* fault = std::get_if<std::string>(&image)) {
    ADD_FAILURE() << *fault;
    return std::make_shared<const Image>();
  }
  return std::get<std::shared_ptr<const Image>>(image);
}

// The mean difference of the parts of a picture.
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

TEST(PictureFile, PngIsExact) {
  EXPECT_EQ(difference(*read("a.png", color_png(kWide, kHigh, slopes()))), 0.0);
}

TEST(PictureFile, JpegIsAsGoodAsItsQuality) {
  double before = 1e9;
  std::size_t smaller = 0;
  for (const int quality : {1, 30, 75, 100}) {
    const std::string file = jpeg_file(kWide, kHigh, slopes(), quality);
    const double now = difference(*read("a.jpg", file));
    EXPECT_LT(now, before) << quality;
    EXPECT_GT(file.size(), smaller) << quality;
    before = now;
    smaller = file.size();
  }
  EXPECT_LT(before, 1.0);
}

TEST(PictureFile, JpegHoldsTheStrongestContrast) {
  std::vector<unsigned char> pixels;
  for (int i = 0; i < kWide * kHigh; ++i) {
    const auto byte = static_cast<unsigned char>(i * 7 % 3 == 0 ? 255 : 0);
    pixels.insert(pixels.end(), {byte, byte, byte, 255});
  }
  const auto image = read("a.jpg", jpeg_file(kWide, kHigh, pixels, 100));
  double sum = 0.0;
  for (std::size_t i = 0; i < pixels.size() && i < image->pixels.size(); i += 4) {
    sum += std::abs(image->pixels[i] - pixels[i]);
  }
  EXPECT_LT(sum / (kWide * kHigh), 2.0);
}

}  // namespace
}  // namespace servosim
