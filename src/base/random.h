// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "base/state_archive.h"

namespace servosim {

/// The random numbers of one simulation. Equal seeds give equal sequences, on every machine. Its
/// generator, which takes 2.5 kB, is made when the first number is requested.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  /// Returns normally distributed numbers with mean 0 and standard deviation 1.
  double normal() {
    Generator& made = generator();
    return made.normal(made.engine);
  }
  /// Returns uniformly distributed numbers in [-1, 1).
  double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(generator().engine); }

  void save(StateWriter& out) const {
    out.put(seed_);
    out.put(generator_ != nullptr);
    if (generator_ != nullptr) {
      out.put(*generator_);
    }
  }
  void restore(StateReader& in) {
    in.get(seed_);
    if (in.take<bool>()) {
      generator_ = generator_ != nullptr ? std::move(generator_) : std::make_unique<Generator>();
      in.get(*generator_);
    } else {
      generator_ = nullptr;
    }
  }

 private:
  struct Generator {
    std::mt19937_64 engine;
    std::normal_distribution<double> normal;
  };
  Generator& generator() {
    if (generator_ == nullptr) {
      generator_ = std::make_unique<Generator>(Generator{std::mt19937_64(seed_), {}});
    }
    return *generator_;
  }

  std::uint64_t seed_;
  std::unique_ptr<Generator> generator_;
};

}  // namespace servosim
