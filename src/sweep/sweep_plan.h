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

/// Defines the runs of a sweep: all combinations of the rows of `variants`, the values of all
/// parameters, the samples and the seeds.
struct SweepVariation {
  std::vector<std::string> parameters = {};  ///< see ParameterValues
  /// Comma-separated values: a line with paths of fields, then a line with their values for each
  /// variant. Empty means that there are none.
  std::string variants = {};
  std::string variants_name = "variants";  ///< name of that text for messages
  std::string seeds = {};  ///< such as `1..100` or `1,5,9`; empty: the seed of the world
  /// How often the parameters with distributions are drawn, all of them at once.
  std::optional<std::uint64_t> samples = std::nullopt;
  std::uint64_t draw_seed = 0;
  /// Each n-th part of a parameter's distribution contains exactly one of n samples.
  bool latin_hypercube = false;
};

struct SweepRun {
  std::uint64_t number = 0;              ///< counted from 0
  std::uint64_t variant = 0;             ///< runs of one variant differ only in the seed
  std::vector<std::string> values = {};  ///< one value for each parameter
  std::optional<std::int64_t> seed = std::nullopt;
};

/// Maps numbers to the runs of a sweep. With increasing number the seed changes first, then the
/// sample, then the value of the last parameter. The memory does not grow with the number of runs.
///
/// Threads: several may read at once.
class SweepPlan {
 public:
  /// @throws std::invalid_argument for a variation that defines no sweep, has no runs, or
  /// contradicts itself
  explicit SweepPlan(SweepVariation variation);

  std::uint64_t size() const { return variants_ * seeds_; }  ///< at least 1
  std::uint64_t variants() const { return variants_; }
  /// Returns the number of seeds of each variant; 1 if no seeds are given.
  std::uint64_t seeds() const { return seeds_; }
  /// Returns paths of fields, each once: those of the text of variants, then those of the
  /// parameters.
  const std::vector<std::string>& parameters() const { return paths_; }
  /// `number` < size()
  SweepRun run(std::uint64_t number) const;
  /// Returns the values of a parameter if they are listed one by one; otherwise an empty list.
  std::vector<std::string> listed_values(std::size_t parameter) const;
  /// Returns the settings that turn the world into the variant of a run.
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
  // The offsets of the rows in variation_.variants; at least one, or none without variants.
  std::vector<std::size_t> rows_;
  std::vector<std::pair<std::int64_t, std::int64_t>> seed_ranges_;  // first, last
  std::uint64_t samples_ = 1;
  std::uint64_t variants_ = 1;
  std::uint64_t seeds_ = 1;
};

}  // namespace servosim
