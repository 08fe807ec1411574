// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace servosim {

/// How Webots makes a byte of a picture from linear light L >= 0, which has been multiplied by the
/// exposure: 255 (1 - exp(-L))^(1 / 2.2), rounded.
///
/// Threads: any number at a time.
class ToneMap {
 public:
  static constexpr double kGamma = 2.2;
  ToneMap();
  /// Returns the byte; 0 for NaN.
  std::uint8_t byte_of(float light) const;
  /// Returns the same value before it is rounded, in [0, 1].
  static double part_of(double light);

 private:
  // The bytes change at these values of light; the last one is NaN.
  std::array<float, 256> steps_;
  // The byte at the beginning of each interval of numbers with equal upper 15 bits.
  std::array<std::uint8_t, 1 << 15> starts_;
};

}  // namespace servosim
