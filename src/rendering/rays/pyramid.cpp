// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/pyramid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace servosim::rays {

namespace {

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

// Returns the largest whole number that is not larger, which takes a call in other ways.
int whole_below(float x) {
  const int whole = static_cast<int>(x);
  return whole - (x < static_cast<float>(whole) ? 1 : 0);
}

// Keeps a place where it can be a number of a pixel.
float inside(float x, bool repeats) {
  if (!(std::abs(x) < 1e6f)) {
    return 0.5f;
  }
  return repeats ? x - static_cast<float>(whole_below(x)) : std::clamp(x, 0.0f, 1.0f);
}

constexpr float kUnit = 1.0f / 255.0f;

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

const LinearTable linear_table;

LinearTable::LinearTable() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double coded = std::min(1.0, static_cast<double>(i) / kSteps);
    values_[i] = static_cast<float>(coded <= 0.04045 ? coded / 12.92
                                                     : std::pow((coded + 0.055) / 1.055, 2.4));
  }
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
  const std::uint8_t* const p =
      level.pixels + std::size_t{4} * (static_cast<std::size_t>(y) * level.width + x);
  return {{kUnit * p[0], kUnit * p[1], kUnit * p[2]}, kUnit * p[3]};
}

Texel Pyramid::bilinear(const Level& level, float u, float v, bool repeats_u, bool repeats_v) {
  const float x = inside(u, repeats_u) * level.width - 0.5f;
  const float y = inside(v, repeats_v) * level.height - 0.5f;
  const int column = whole_below(x);
  const int row = whole_below(y);
  const int x0 = 4 * wrapped(column, level.width, repeats_u);
  const int x1 = 4 * wrapped(column + 1, level.width, repeats_u);
  const std::uint8_t* const upper =
      level.pixels + std::size_t{4} * level.width * wrapped(row, level.height, repeats_v);
  const std::uint8_t* const lower =
      level.pixels + std::size_t{4} * level.width * wrapped(row + 1, level.height, repeats_v);
  const float right = x - static_cast<float>(column);
  const float below = kUnit * (y - static_cast<float>(row));
  const float above = kUnit - below;
  const std::array<float, 4> weights{above * (1.0f - right), above * right, below * (1.0f - right),
                                     below * right};
  const auto part = [&](int i) {
    return weights[0] * upper[x0 + i] + weights[1] * upper[x1 + i] + weights[2] * lower[x0 + i] +
           weights[3] * lower[x1 + i];
  };
  return {{part(0), part(1), part(2)}, part(3)};
}

Texel Pyramid::smooth(float u, float v, bool repeats_u, bool repeats_v, float width) const {
  const float pixels = std::numbers::sqrt2_v<float> * width * side_;
  if (!(pixels >= 2.0f)) {
    return bilinear(levels_.front(), u, v, repeats_u, repeats_v);
  }
  // The level whose pixels are nearest in size: the exponent of a number is its logarithm.
  const unsigned exponent = (std::bit_cast<std::uint32_t>(pixels) >> 23) - 127u;
  const std::size_t level = std::min<std::size_t>(exponent, levels_.size() - 1);
  return bilinear(levels_[level], u, v, repeats_u, repeats_v);
}

std::shared_ptr<const Pyramid> Pyramids::of(const std::shared_ptr<const Image>& image) {
  if (image == nullptr) {
    return nullptr;
  }
  const std::scoped_lock lock(lock_);
  return made_once(known_, image.get(), [&] { return std::make_shared<const Pyramid>(image); });
}

}  // namespace servosim::rays
