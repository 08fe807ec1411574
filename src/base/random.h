// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace servosim {

/// The random numbers of one simulation. Equal seeds give equal sequences, on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Normally distributed with mean 0 and standard deviation 1.
  double normal() { return normal_(engine_); }
  /// Uniformly distributed in [-1, 1).
  double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

}  // namespace servosim
