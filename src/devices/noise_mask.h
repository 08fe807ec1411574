// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "scene/surface_look.h"

namespace servosim {

/// A picture that lies over another one at a random place: the field noiseMaskUrl of a Camera.
///
/// Threads: one at a time.
class NoiseMask {
 public:
  /// @param mask  outlives this object
  /// @param width, height  of the picture below [pixels]
  /// @param right, down  the place, as parts of the mask in [0, 1)
  NoiseMask(const Image& mask, int width, int height, double right, double down)
      : mask_(mask), right_(right), down_(down) {
    // Webots' rule: a mask that is smaller than the picture is stretched.
    if (mask.width >= width && mask.height >= height) {
      across_ = 1.0 / mask.width;
      along_ = 1.0 / mask.height;
    } else if (mask.width - width > mask.height - height) {
      across_ = static_cast<double>(width) / height / width;
      along_ = 1.0 / height;
    } else {
      across_ = 1.0 / width;
      along_ = static_cast<double>(height) / width / height;
    }
    right_ *= across_ * width;
    down_ *= along_ * height;
  }
  /// Covers the pixel in a column and a row by the mask, as far as that is opaque.
  /// @param parts  red, green and blue in [0, 1]
  void cover(int column, int row, std::array<double, 3>& parts) const {
    const std::size_t x = texel((column + 0.5) * across_ + right_, mask_.width);
    const std::size_t y = texel((row + 0.5) * along_ + down_, mask_.height);
    const std::uint8_t* const pixel = &mask_.pixels[4 * (y * mask_.width + x)];
    const double opacity = pixel[3] / 255.0;
    for (std::size_t part = 0; part < 3; ++part) {
      parts[part] += opacity * (pixel[part] / 255.0 - parts[part]);
    }
  }

 private:
  // The mask repeats.
  static std::size_t texel(double place, int size) {
    const double part = place - std::floor(place);
    return static_cast<std::size_t>(std::min(size - 1, static_cast<int>(part * size)));
  }

  const Image& mask_;
  double across_ = 0.0;  // part of the mask that a column takes
  double along_ = 0.0;   // part of the mask that a row takes
  double right_;
  double down_;
};

}  // namespace servosim
