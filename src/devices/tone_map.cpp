// SPDX-License-Identifier: Apache-2.0
#include "devices/tone_map.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace servosim {

ToneMap::ToneMap() {
  // steps_[b] is where byte b ends.
  for (std::size_t byte = 0; byte < 255; ++byte) {
    const double part = (static_cast<double>(byte) + 0.5) / 255.0;
    steps_[byte] = static_cast<float>(-std::log1p(-std::pow(part, kGamma)));
  }
  steps_[255] = std::numeric_limits<float>::quiet_NaN();  // no light is larger
  std::uint8_t byte = 0;
  for (std::uint32_t i = 0; i < starts_.size(); ++i) {
    const auto begin = std::bit_cast<float>(i << 16);
    while (begin < std::numeric_limits<float>::infinity() && begin >= steps_[byte]) {
      ++byte;
    }
    starts_[i] = byte;
  }
}

// An interval is at most 1/128 of its beginning wide, and steps are 1/60 apart or more: it has one
// step at most. The processor could not foresee branches.
std::uint8_t ToneMap::byte_of(float light) const {
  const float positive = light > 0.0f ? light : 0.0f;
  const std::uint8_t byte = starts_[std::bit_cast<std::uint32_t>(positive) >> 16];
  return static_cast<std::uint8_t>(byte + (positive >= steps_[byte] ? 1 : 0));
}

double ToneMap::part_of(double light) {
  return light > 0.0 ? std::pow(-std::expm1(-light), 1.0 / kGamma) : 0.0;
}

}  // namespace servosim
