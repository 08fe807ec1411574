// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "base/state_archive.h"

namespace servosim {

/// Random numbers by their place: of an instance's seed, its episode, what they are for, and which
/// of those it is. No number depends on how many others were drawn, and there is nothing to save.
///
/// Threads: a plain value.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t episode) : key_(mixed(mixed(seed) + episode)) {}

  /// Of 64 random bits.
  std::uint64_t bits(std::uint64_t what, std::uint64_t which = 0) const {
    return mixed(mixed(key_ ^ what) + which);
  }
  /// Uniformly distributed in [0, 1).
  double uniform(std::uint64_t what, std::uint64_t which = 0) const {
    return static_cast<double>(bits(what, which) >> 11) * 0x1p-53;
  }
  /// Uniformly distributed in [low, high), whose width is finite; low if they are equal.
  double between(double low, double high, std::uint64_t what) const {
    const double number = low + (high - low) * uniform(what);
    return number < high || low == high ? number : std::nextafter(high, low);
  }
  /// Normally distributed with mean 0 and standard deviation 1, by Box and Muller.
  double normal(std::uint64_t what, std::uint64_t which) const {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(what, 2 * which)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform(what, 2 * which + 1));
  }

  /// A number for `what`.
  static std::uint64_t name(std::string_view text) { return Fnv1a().add(text).value(); }

 private:
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014) after its step.
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
};

}  // namespace servosim
