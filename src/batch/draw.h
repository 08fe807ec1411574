// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "base/state_archive.h"

namespace servosim {

/// Random numbers that are functions of an instance's seed, its episode, their purpose and an
/// index. No number depends on how many others were drawn, and there is no state to save.
///
/// Threads: a plain value.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t episode) : key_(mixed(mixed(seed) + episode)) {}

  /// Returns 64 random bits.
  std::uint64_t bits(std::uint64_t what, std::uint64_t which = 0) const {
    return mixed(mixed(key_ ^ what) + which);
  }
  /// Returns uniformly distributed numbers in [0, 1).
  double uniform(std::uint64_t what, std::uint64_t which = 0) const {
    return static_cast<double>(bits(what, which) >> 11) * 0x1p-53;
  }
  /// Returns uniformly distributed numbers in [low, high), whose width is finite; low if both are
  /// equal.
  double between(double low, double high, std::uint64_t what) const {
    const double number = low + (high - low) * uniform(what);
    return number < high || low == high ? number : std::nextafter(high, low);
  }
  /// Returns normally distributed numbers with mean 0 and standard deviation 1, by the method of
  /// Box and Muller.
  double normal(std::uint64_t what, std::uint64_t which) const {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(what, 2 * which)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform(what, 2 * which + 1));
  }

  /// Returns the number of a purpose, for the parameter `what`.
  static std::uint64_t name(std::string_view text) { return Fnv1a().add(text).value(); }

 private:
  // Applies one step and the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
};

}  // namespace servosim
