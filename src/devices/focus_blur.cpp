// SPDX-License-Identifier: Apache-2.0
#include "devices/focus_blur.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace servosim {

namespace {

// Webots takes twelve places in a disc, too. That its radius is this [pixels] is our choice.
constexpr double kRadius = 5.0;
constexpr std::array<std::array<double, 2>, 12> kDisc{{{-0.33, -0.41},
                                                       {-0.84, -0.07},
                                                       {-0.70, 0.46},
                                                       {-0.20, 0.62},
                                                       {0.96, -0.19},
                                                       {0.47, -0.48},
                                                       {0.52, 0.77},
                                                       {0.19, -0.89},
                                                       {0.51, 0.06},
                                                       {0.90, 0.42},
                                                       {-0.32, -0.93},
                                                       {-0.79, -0.60}}};

}  // namespace

void blur_by_depth(const Focus& focus, std::span<const double> depths, std::span<float> light) {
  const std::vector<float> sharp(light.begin(), light.end());
  for (int y = 0; y < focus.height; ++y) {
    for (int x = 0; x < focus.width; ++x) {
      const std::size_t here = static_cast<std::size_t>(y) * focus.width + x;
      const double blur = std::min(1.0, std::abs(depths[here] - focus.distance) / focus.length);
      if (depths[here] == 0.0 || blur == 0.0) {  // the lens shows nothing at 0
        continue;
      }
      std::array<float, 3> sum{};
      for (const auto& [right, down] : kDisc) {
        const int column = std::clamp(x + static_cast<int>(std::lround(blur * kRadius * right)), 0,
                                      focus.width - 1);
        const int row = std::clamp(y + static_cast<int>(std::lround(blur * kRadius * down)), 0,
                                   focus.height - 1);
        const std::size_t there = static_cast<std::size_t>(row) * focus.width + column;
        for (std::size_t part = 0; part < 3; ++part) {
          sum[part] += sharp[3 * there + part];
        }
      }
      for (std::size_t part = 0; part < 3; ++part) {
        light[3 * here + part] = sum[part] / static_cast<float>(kDisc.size());
      }
    }
  }
}

}  // namespace servosim
