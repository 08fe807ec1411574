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
  Floats at(const Floats& coded) const {
    const Floats place = static_cast<float>(kSteps) * clamped(coded, 0.0f, 1.0f);
    const Ints i = to_ints(place);
    const auto [low, high] = load_two([&](int lane) { return &values_[i[lane]]; });
    return low + (place - to_floats(i)) * (high - low);
  }

 private:
  static constexpr int kSteps = 1024;
  std::array<float, kSteps + 2> values_;
};
extern const LinearTable linear_table;

/// Returns the linear value of an sRGB-coded one in [0, 1].
inline Floats3 linear_of(const Floats3& coded) {
  return {linear_table.at(coded.x), linear_table.at(coded.y), linear_table.at(coded.z)};
}
inline Float3 linear_of(const Float3& coded) { return of_lane(linear_of(all(coded)), 0); }

/// Values of a picture for several rays: red, green, blue and alpha, as they are coded. They are in
/// [0, 1], and colours above 1 are those of Image::light.
struct Texels {
  Floats3 color = all(Float3{1.0f, 1.0f, 1.0f});
  Floats alpha = all(1.0f);
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

  /// Returns the pixels at places, where 0 0 is the upper left corner of the picture.
  Texels nearest(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v) const;
  /// Returns the means around places.
  /// @param width  side of the square that the mean covers, whose unit is the whole picture
  Texels smooth(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v,
                const Floats& width) const;
  /// Whether a pixel is translucent.
  bool is_translucent() const { return is_translucent_; }

 private:
  // It has either pixels or light.
  struct Level {
    const std::uint8_t* pixels = nullptr;
    const float* light = nullptr;
    int width = 1;
    int height = 1;
    template <bool kIsLight>
    Floats texel(int row, int column) const;
  };
  template <bool kIsLight>
  Texels nearest_of(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v) const;
  template <bool kIsLight>
  Texels smooth_of(const Floats& u, const Floats& v, bool repeats_u, bool repeats_v,
                   const Floats& width) const;
  const Level& level_of(float pixels) const;

  std::shared_ptr<const Image> image_;
  std::vector<std::vector<std::uint8_t>> smaller_;
  std::vector<std::vector<float>> smaller_light_;
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
