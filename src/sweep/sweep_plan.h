// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "servosim/field_setting.h"
#include "sweep/parameter_values.h"

namespace servosim {

/// Which runs a sweep has: all combinations of the rows of `variants`, of the values of all
/// parameters, of the samples and of the seeds.
struct SweepVariation {
  std::vector<std::string> parameters = {};  ///< see ParameterValues
  /// Comma-separated values: a line with paths of fields, and one with their values for each
  /// variant; empty: none.
  std::string variants = {};
  std::string variants_name = "variants";  ///< of that text, for messages
  std::string seeds = {};                  ///< `1..100`, `1,5,9`; empty: that of the world
  /// How often those parameters are drawn that are; all of them at once.
  std::optional<std::uint64_t> samples = std::nullopt;
  std::uint64_t draw_seed = 0;
  /// Of n samples of a parameter each n-th part of its distribution gets one.
  bool latin_hypercube = false;
};

/// A run of a sweep.
struct SweepRun {
  std::uint64_t number = 0;              ///< from 0
  std::uint64_t variant = 0;             ///< runs of one variant differ in the seed alone
  std::vector<std::string> values = {};  ///< by parameter
  std::optional<std::int64_t> seed = std::nullopt;
};

/// The runs of a sweep by their numbers. The seed changes first from number to number, then the
/// sample, then the value of the last parameter. No number of runs takes memory.
///
/// Threads: several may read at once.
class SweepPlan {
 public:
  /// @throws std::invalid_argument for what is no sweep, has no runs, or contradicts itself
  explicit SweepPlan(SweepVariation variation);

  std::uint64_t size() const { return variants_ * seeds_; }  ///< at least 1
  std::uint64_t variants() const { return variants_; }
  std::uint64_t seeds() const { return seeds_; }  ///< of each variant; 1 without any
  /// Paths of fields, each once: those of the text of variants, then those of the parameters.
  const std::vector<std::string>& parameters() const { return paths_; }
  /// `number` < size()
  SweepRun run(std::uint64_t number) const;
  /// The values of the parameter of that index, where they are given one by one; else none.
  std::vector<std::string> listed_values(std::size_t parameter) const;
  /// What makes a world that variant.
  std::vector<FieldSetting> settings(const SweepRun& run) const;
  const SweepVariation& variation() const { return variation_; }

 private:
  void read_variants();
  void read_seeds();
  void check_draws() const;
  std::vector<std::string> variant_row(std::uint64_t row) const;
  double share(const ParameterValues& of, std::uint64_t sample) const;

  SweepVariation variation_;
  std::vector<ParameterValues> values_;
  std::vector<std::string> paths_;
  std::vector<std::size_t> rows_;  // where they begin in variation_.variants; at least one or none
  std::vector<std::pair<std::int64_t, std::int64_t>> seed_ranges_;  // first, last
  std::uint64_t samples_ = 1;
  std::uint64_t variants_ = 1;
  std::uint64_t seeds_ = 1;
};

}  // namespace servosim
