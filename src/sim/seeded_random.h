// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/random.h"

namespace servosim {

/// The random numbers of a simulation, and the seed with which they begin. A seed < 0 means that
/// the clock gives it.
///
/// Threads: one at a time, with the whole Simulation.
class SeededRandom {
 public:
  /// @param loaded  WorldInfo.randomSeed of the loaded world
  /// @param first  LoadOptions::random_seed
  /// @param offset  LoadOptions::random_seed_offset
  SeededRandom(std::int64_t loaded, std::optional<std::int64_t> first, std::int64_t offset)
      : loaded_(loaded), first_(first.value_or(loaded)), offset_(offset), of_world_(loaded) {}
  /// Makes the random numbers of another simulation of the same world, which begin with the seed.
  /// @param of_world  WorldInfo.randomSeed of its scene
  SeededRandom(const SeededRandom& original, std::int64_t of_world)
      : loaded_(original.loaded_),
        first_(original.first_),
        offset_(original.offset_),
        of_world_(of_world) {}
  SeededRandom(const SeededRandom&) = delete;  // devices refer to the numbers
  SeededRandom& operator=(const SeededRandom&) = delete;

  /// Returns the seed, with the offset; nothing if the clock gives it. A randomSeed other than the
  /// one that was loaded takes precedence over LoadOptions::random_seed.
  std::optional<std::int64_t> seed() const {
    const std::int64_t seed = of_world_ == loaded_ ? first_ : of_world_;
    return seed >= 0 ? std::optional(static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) +
                                                               static_cast<std::uint64_t>(offset_)))
                     : std::nullopt;
  }
  /// Makes the random numbers those of a world that was loaded with this LoadOptions::random_seed.
  void set_seed(std::int64_t seed) {
    first_ = seed;
    begin();
  }
  /// Takes the randomSeed of another scene. The numbers begin again if it differs.
  void follow(std::int64_t of_world) {
    if (of_world_ != of_world) {
      of_world_ = of_world;
      begin();
    }
  }
  /// Lets the numbers begin again with seed(), or with another seed.
  void begin() { numbers_ = begun(); }
  void begin_with(std::uint64_t seed) { numbers_ = Random(seed); }

  /// The reference is valid as long as this object.
  Random& numbers() { return numbers_; }
  const Random& numbers() const { return numbers_; }

 private:
  Random begun() const {
    const std::int64_t by_clock = std::chrono::system_clock::now().time_since_epoch().count();
    return Random(static_cast<std::uint64_t>(seed().value_or(by_clock)));
  }

  std::int64_t loaded_;
  std::int64_t first_;
  std::int64_t offset_;
  std::int64_t of_world_;
  Random numbers_ = begun();
};

}  // namespace servosim
