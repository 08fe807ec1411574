// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "rendering/rays/float3.h"
#include "scene/surface_look.h"

namespace servosim::rays {

/// The linear values of sRGB-coded ones.
class LinearTable {
 public:
  LinearTable();
  float at(float coded) const {
    const float place = kSteps * std::clamp(coded, 0.0f, 1.0f);
    const int i = static_cast<int>(place);
    return values_[i] + (place - static_cast<float>(i)) * (values_[i + 1] - values_[i]);
  }

 private:
  static constexpr int kSteps = 1024;
  std::array<float, kSteps + 2> values_;
};
extern const LinearTable linear_table;

/// Returns the linear value of an sRGB-coded one in [0, 1].
inline float linear_of(float coded) { return linear_table.at(coded); }
inline Float3 linear_of(const Float3& coded) {
  return {linear_of(coded.x), linear_of(coded.y), linear_of(coded.z)};
}

/// A value of a picture: red, green, blue and alpha in [0, 1], as they are coded.
struct Texel {
  Float3 color{1.0f, 1.0f, 1.0f};
  float alpha = 1.0f;
};

/// A picture and its copies of half, a quarter, ... of its size.
///
/// Threads: any number at a time.
class Pyramid {
 public:
  /// @param image  not null
  explicit Pyramid(std::shared_ptr<const Image> image);
  Pyramid(const Pyramid&) = delete;
  Pyramid& operator=(const Pyramid&) = delete;

  /// Returns the pixel at a place, where 0 0 is the upper left corner of the picture.
  Texel nearest(float u, float v, bool repeats_u, bool repeats_v) const;
  /// Returns the mean around a place.
  /// @param width  side of the square that the mean covers, whose unit is the whole picture
  Texel smooth(float u, float v, bool repeats_u, bool repeats_v, float width) const;
  /// Whether a pixel is translucent.
  bool is_translucent() const { return is_translucent_; }

 private:
  struct Level {
    const std::uint8_t* pixels = nullptr;
    int width = 1;
    int height = 1;
  };
  static Texel bilinear(const Level& level, float u, float v, bool repeats_u, bool repeats_v);

  std::shared_ptr<const Image> image_;
  std::vector<std::vector<std::uint8_t>> smaller_;
  std::vector<Level> levels_;
  float side_;  // of a square with as many pixels
  bool is_translucent_ = false;
};

/// Returns what a map has for a key, and makes it if nobody holds it. What nobody holds leaves the
/// map, so that pictures which a world no longer shows take no memory.
template <typename Key, typename Made, typename Make>
std::shared_ptr<const Made> made_once(std::map<Key, std::weak_ptr<const Made>>& known,
                                      const Key& key, const Make& make) {
  if (const auto found = known.find(key); found != known.end()) {
    if (std::shared_ptr<const Made> held = found->second.lock()) {
      return held;
    }
  }
  std::erase_if(known, [](const auto& each) { return each.second.expired(); });
  std::shared_ptr<const Made> made = make();
  known.emplace(key, made);
  return made;
}

/// The pyramids of all pictures of a world, each made once for all who hold it.
///
/// Threads: any number at a time.
class Pyramids {
 public:
  /// @param image  may be null, and so is the result then
  std::shared_ptr<const Pyramid> of(const std::shared_ptr<const Image>& image);

 private:
  std::mutex lock_;
  // A Pyramid holds its Image, so that no other one has the address.
  std::map<const Image*, std::weak_ptr<const Pyramid>> known_;
};

}  // namespace servosim::rays
