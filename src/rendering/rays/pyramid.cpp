// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace servosim::rays {

namespace {

constexpr int kSteps = 1024;

struct LinearValues {
  LinearValues() {
    for (int i = 0; i <= kSteps + 1; ++i) {
      const double coded = std::min(1.0, static_cast<double>(i) / kSteps);
      values[i] = static_cast<float>(coded <= 0.04045 ? coded / 12.92
                                                      : std::pow((coded + 0.055) / 1.055, 2.4));
    }
  }
  std::array<float, kSteps + 2> values;
};

// Returns the number of a pixel among `count` in a row that repeats or whose ends continue.
int wrapped(int i, int count, bool repeats) {
  if (i >= 0 && i < count) {
    return i;
  }
  if (!repeats) {
    return i < 0 ? 0 : count - 1;
  }
  const int rest = i % count;
  return rest < 0 ? rest + count : rest;
}

// Keeps a place where it can be a number of a pixel.
float inside(float x, bool repeats) {
  if (!(std::abs(x) < 1e6f)) {
    return 0.5f;
  }
  return repeats ? x - std::floor(x) : std::clamp(x, 0.0f, 1.0f);
}

Texel texel(const std::uint8_t* p) {
  constexpr float kUnit = 1.0f / 255.0f;
  return {{kUnit * p[0], kUnit * p[1], kUnit * p[2]}, kUnit * p[3]};
}

Texel mixed(const Texel& a, const Texel& b, float share) {
  return {mixed(a.color, b.color, share), a.alpha + share * (b.alpha - a.alpha)};
}

// Halves a picture: each pixel is the mean of four.
std::vector<std::uint8_t> halved(const std::uint8_t* pixels, int width, int height) {
  const int to_width = std::max(1, width / 2);
  const int to_height = std::max(1, height / 2);
  std::vector<std::uint8_t> made(std::size_t{4} * to_width * to_height);
  for (int y = 0; y < to_height; ++y) {
    for (int x = 0; x < to_width; ++x) {
      for (int part = 0; part < 4; ++part) {
        int sum = 2;
        for (const int row : {2 * y, std::min(2 * y + 1, height - 1)}) {
          for (const int column : {2 * x, std::min(2 * x + 1, width - 1)}) {
            sum += pixels[std::size_t{4} * (static_cast<std::size_t>(row) * width + column) + part];
          }
        }
        made[std::size_t{4} * (static_cast<std::size_t>(y) * to_width + x) + part] =
            static_cast<std::uint8_t>(sum / 4);
      }
    }
  }
  return made;
}

}  // namespace

float linear_of(float coded) {
  static const LinearValues table;
  const float at = kSteps * std::clamp(coded, 0.0f, 1.0f);
  const int i = static_cast<int>(at);
  return table.values[i] + (at - static_cast<float>(i)) * (table.values[i + 1] - table.values[i]);
}

Float3 linear_of(const Float3& coded) {
  return {linear_of(coded.x), linear_of(coded.y), linear_of(coded.z)};
}

Pyramid::Pyramid(std::shared_ptr<const Image> image)
    : image_(std::move(image)),
      side_(std::sqrt(static_cast<float>(image_->width) * static_cast<float>(image_->height))) {
  levels_.push_back({image_->pixels.data(), image_->width, image_->height});
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    const Level& last = levels_.back();
    smaller_.push_back(halved(last.pixels, last.width, last.height));
    levels_.push_back(
        {smaller_.back().data(), std::max(1, last.width / 2), std::max(1, last.height / 2)});
  }
  for (std::size_t i = 3; i < image_->pixels.size() && !is_translucent_; i += 4) {
    is_translucent_ = image_->pixels[i] != 255;
  }
}

Texel Pyramid::nearest(float u, float v, bool repeats_u, bool repeats_v) const {
  const Level& level = levels_.front();
  const int x = std::min(static_cast<int>(inside(u, repeats_u) * level.width), level.width - 1);
  const int y = std::min(static_cast<int>(inside(v, repeats_v) * level.height), level.height - 1);
  return texel(level.pixels + std::size_t{4} * (static_cast<std::size_t>(y) * level.width + x));
}

Texel Pyramid::bilinear(const Level& level, float u, float v, bool repeats_u, bool repeats_v) {
  const float x = inside(u, repeats_u) * level.width - 0.5f;
  const float y = inside(v, repeats_v) * level.height - 0.5f;
  const float left = std::floor(x);
  const float top = std::floor(y);
  const int column = static_cast<int>(left);
  const int row = static_cast<int>(top);
  const int x0 = wrapped(column, level.width, repeats_u);
  const int x1 = wrapped(column + 1, level.width, repeats_u);
  const std::uint8_t* const upper =
      level.pixels + std::size_t{4} * level.width * wrapped(row, level.height, repeats_v);
  const std::uint8_t* const lower =
      level.pixels + std::size_t{4} * level.width * wrapped(row + 1, level.height, repeats_v);
  return mixed(mixed(texel(upper + 4 * x0), texel(upper + 4 * x1), x - left),
               mixed(texel(lower + 4 * x0), texel(lower + 4 * x1), x - left), y - top);
}

Texel Pyramid::smooth(float u, float v, bool repeats_u, bool repeats_v, float width) const {
  const float pixels = width * side_;
  if (!(pixels > 1.0f)) {
    return bilinear(levels_.front(), u, v, repeats_u, repeats_v);
  }
  const float level = std::min(std::log2(pixels), static_cast<float>(levels_.size() - 1));
  const int finer = static_cast<int>(level);
  const Texel near = bilinear(levels_[finer], u, v, repeats_u, repeats_v);
  return finer + 1 == static_cast<int>(levels_.size())
             ? near
             : mixed(near, bilinear(levels_[finer + 1], u, v, repeats_u, repeats_v),
                     level - static_cast<float>(finer));
}

std::shared_ptr<const Pyramid> Pyramids::of(const std::shared_ptr<const Image>& image) {
  if (image == nullptr) {
    return nullptr;
  }
  const std::scoped_lock lock(lock_);
  std::shared_ptr<const Pyramid>& known = known_[image];
  if (known == nullptr) {
    known = std::make_shared<const Pyramid>(image);
  }
  return known;
}

}  // namespace servosim::rays
