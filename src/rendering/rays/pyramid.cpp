// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/pyramid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <utility>

namespace servosim::rays {

namespace {

// Returns the numbers of pixels among `count` in a row that repeats or whose ends continue. Before
// this they are at most one pixel outside.
Ints wrapped(const Ints& i, const Ints& count, bool repeats) {
  const Ints last = count - 1;
  const Ints first{};
  return choose(i < 0, repeats ? last : first, choose(i > last, repeats ? first : last, i));
}

// Returns the largest whole numbers that are not larger.
Ints whole_below(const Floats& x) {
  const Ints whole = to_ints(x);
  return whole + (x < to_floats(whole));  // true is -1
}

// Keeps places where they can be numbers of pixels.
Floats inside(const Floats& x, bool repeats) {
  const Floats kept = repeats ? x - to_floats(whole_below(x)) : clamped(x, 0.0f, 1.0f);
  return choose(absolute(x) < 1e6f, kept, all(0.5f));
}

constexpr float kUnit = 1.0f / 255.0f;

// The four bytes of a pixel.
Floats bytes_at(const std::uint8_t* from) {
  using Bytes = std::uint8_t __attribute__((vector_size(16)));
  using Halves = std::uint16_t __attribute__((vector_size(16)));
  std::int32_t pixel;
  std::memcpy(&pixel, from, sizeof pixel);
  const auto bytes = std::bit_cast<Bytes>(Ints{pixel, 0, 0, 0});
  const auto halves = std::bit_cast<Halves>(__builtin_shufflevector(
      bytes, Bytes{}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  return to_floats(
      std::bit_cast<Ints>(__builtin_shufflevector(halves, Halves{}, 0, 8, 1, 9, 2, 10, 3, 11)));
}

Texels texels_of(const FourFloats& parts) {
  return {{parts.n[0], parts.n[1], parts.n[2]}, parts.n[3]};
}

std::uint8_t quarter(int sum) { return static_cast<std::uint8_t>((sum + 2) / 4); }
float quarter(float sum) { return 0.25f * sum; }

// Halves a picture: each pixel is the mean of four.
template <typename Part>
std::vector<Part> halved(const Part* pixels, int width, int height) {
  const int to_width = std::max(1, width / 2);
  const int to_height = std::max(1, height / 2);
  std::vector<Part> made(std::size_t{4} * to_width * to_height);
  for (int y = 0; y < to_height; ++y) {
    for (int x = 0; x < to_width; ++x) {
      for (int part = 0; part < 4; ++part) {
        decltype(Part{} + Part{}) sum{};
        for (const int row : {2 * y, std::min(2 * y + 1, height - 1)}) {
          for (const int column : {2 * x, std::min(2 * x + 1, width - 1)}) {
            sum += pixels[std::size_t{4} * (static_cast<std::size_t>(row) * width + column) + part];
          }
        }
        made[std::size_t{4} * (static_cast<std::size_t>(y) * to_width + x) + part] = quarter(sum);
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
  const bool is_light = !image_->light.empty();
  levels_.push_back({is_light ? nullptr : image_->pixels.data(),
                     is_light ? image_->light.data() : nullptr, image_->width, image_->height});
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    const Level& last = levels_.back();
    Level next{nullptr, nullptr, std::max(1, last.width / 2), std::max(1, last.height / 2)};
    if (is_light) {
      next.light = smaller_light_.emplace_back(halved(last.light, last.width, last.height)).data();
    } else {
      next.pixels = smaller_.emplace_back(halved(last.pixels, last.width, last.height)).data();
    }
    levels_.push_back(next);
  }
  for (std::size_t i = 3; i < image_->pixels.size() && !is_translucent_; i += 4) {
    is_translucent_ = image_->pixels[i] != 255;
  }
}

// The four parts of a pixel, of which 255 is full brightness unless they are light.
template <bool kIsLight>
Floats Pyramid::Level::texel(int row, int column) const {
  const std::size_t first = 4 * (static_cast<std::size_t>(row) * width + column);
  if constexpr (kIsLight) {
    return load(light + first);
  } else {
    return bytes_at(pixels + first);
  }
}

Texels Pyramid::nearest(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v) const {
  return levels_.front().light != nullptr ? nearest_of<true>(u, v, repeats_u, repeats_v)
                                          : nearest_of<false>(u, v, repeats_u, repeats_v);
}

template <bool kIsLight>
Texels Pyramid::nearest_of(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v) const {
  const Level& level = levels_.front();
  const Floats x = inside(u, repeats_u) * static_cast<float>(level.width);
  const Floats y = inside(v, repeats_v) * static_cast<float>(level.height);
  const auto texel = [&](int i) {
    const int column = std::min(static_cast<int>(x[i]), level.width - 1);
    const int row = std::min(static_cast<int>(y[i]), level.height - 1);
    return (kIsLight ? 1.0f : kUnit) * level.texel<kIsLight>(row, column);
  };
  return texels_of(transposed(texel(0), texel(1), texel(2), texel(3)));
}

// The level whose pixels are nearest in size.
// @param pixels  the width that the mean covers in the largest level
const Pyramid::Level& Pyramid::level_of(float pixels) const {
  if (!(pixels >= 2.0f)) {
    return levels_.front();
  }
  // The exponent of a number is its logarithm.
  const unsigned exponent = (std::bit_cast<std::uint32_t>(pixels) >> 23) - 127u;
  return levels_[std::min<std::size_t>(exponent, levels_.size() - 1)];
}

Texels Pyramid::smooth(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v,
                       const Floats& width) const {
  return levels_.front().light != nullptr ? smooth_of<true>(u, v, repeats_u, repeats_v, width)
                                          : smooth_of<false>(u, v, repeats_u, repeats_v, width);
}

template <bool kIsLight>
Texels Pyramid::smooth_of(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v,
                          const Floats& width) const {
  const Floats pixels = std::numbers::sqrt2_v<float> * width * side_;
  std::array<const Level*, kLanes> levels;
  Ints columns;
  Ints rows;
  for (int i = 0; i < kLanes; ++i) {
    levels[i] = &level_of(pixels[i]);
    columns[i] = levels[i]->width;
    rows[i] = levels[i]->height;
  }
  const Floats x = inside(u, repeats_u) * to_floats(columns) - 0.5f;
  const Floats y = inside(v, repeats_v) * to_floats(rows) - 0.5f;
  const Ints column = whole_below(x);
  const Ints row = whole_below(y);
  const Ints left = wrapped(column, columns, repeats_u);
  const Ints next = wrapped(column + 1, columns, repeats_u);
  const Ints upper = wrapped(row, rows, repeats_v);
  const Ints lower = wrapped(row + 1, rows, repeats_v);
  const Floats right = x - to_floats(column);
  constexpr float kWhole = kIsLight ? 1.0f : kUnit;
  const Floats below = kWhole * (y - to_floats(row));
  const Floats above = kWhole - below;
  const std::array<Floats, 4> weights{above * (1.0f - right), above * right, below * (1.0f - right),
                                      below * right};
  const auto mean = [&](int i) {
    const auto at = [&](int across, int down) { return levels[i]->texel<kIsLight>(down, across); };
    return weights[0][i] * at(left[i], upper[i]) + weights[1][i] * at(next[i], upper[i]) +
           weights[2][i] * at(left[i], lower[i]) + weights[3][i] * at(next[i], lower[i]);
  };
  return texels_of(transposed(mean(0), mean(1), mean(2), mean(3)));
}

std::shared_ptr<const Pyramid> Pyramids::of(const std::shared_ptr<const Image>& image) {
  if (image == nullptr) {
    return nullptr;
  }
  const std::scoped_lock lock(lock_);
  return made_once(known_, image.get(), [&] { return std::make_shared<const Pyramid>(image); });
}

}  // namespace servosim::rays
