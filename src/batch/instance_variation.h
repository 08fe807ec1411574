// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/columns.h"
#include "batch/instance.h"
#include "batch/parameters.h"
#include "servosim/simulation.h"

namespace servosim {

struct RandomRange;

// Names that Batch::randomize() accepts.
inline constexpr std::string_view kSensorNoise = "sensor noise";
inline constexpr std::string_view kNoise = " noise";  // follows a pattern
inline constexpr std::string_view kActionDelay = "action delay";

struct DrawnNumber {
  std::size_t number;  // index of Parameters
  std::uint64_t key;
  double low;
  double high;
};

struct DrawnNoise {
  std::string pattern;        // pattern of observations; empty: all of them
  std::vector<bool> columns;  // which columns it matches
  std::uint64_t key;
  double low;
  double high;
};

struct DrawnDelay {
  std::uint32_t low;
  std::uint32_t high;
};

/// What Batch::randomize() draws.
struct Randomized {
  std::vector<DrawnNumber> numbers;
  std::vector<DrawnNoise> noise;
  DrawnDelay delay{0, 0};
};

/// How the instances of a batch differ from its world: by parameters that were set, and by what
/// episodes draw of parameters, of noise and of delays.
///
/// Threads: instances may be used by any thread, each by one at a time, as long as nobody changes
/// the parameters and the ranges.
class InstanceVariation {
 public:
  /// `world` must outlive this object, and its tree must not change.
  explicit InstanceVariation(const Simulation& world) : world_(world), parameters_(world) {}

  Parameters& parameters() { return parameters_; }
  /// Refuses values of parameters that a range has at its ends, with the name of the range.
  using CheckEnds = std::function<void(const std::string& name, const std::vector<double>& values)>;
  /// Sets what episodes draw from now on: see Batch::randomize().
  /// @throws std::invalid_argument, also if `check` does; nothing has changed then
  void randomize(const std::vector<RandomRange>& ranges, const Columns& columns,
                 const CheckEnds& check);
  /// Returns the noise for other columns. @throws std::invalid_argument
  std::vector<DrawnNoise> noise_for(const Columns& columns) const;
  void set_noise(std::vector<DrawnNoise> noise) { randomized_.noise = std::move(noise); }

  /// Draws everything for an episode.
  void draw(BatchInstance& x, const Columns& columns) const;
  /// Draws noise and delay, which depend on the columns.
  void draw_for_columns(BatchInstance& x, const Columns& columns) const;
  /// Returns whether the instance's own tree has the values that it should have.
  bool is_in_tree(const OwnNumbers& own) const;
  /// Rebuilds the instance with its parameters if its tree has others. Throws if they cannot be
  /// simulated, or only with another value instead of one of them.
  void give_values(BatchInstance& x) const;

 private:
  /// Returns which columns the noise applies to. @throws std::invalid_argument
  std::vector<bool> noisy(const Columns& of, const std::string& pattern) const;
  DrawnNoise noise_of(const RandomRange& range, const Columns& columns) const;
  void add_numbers(const RandomRange& range, const CheckEnds& check, std::vector<DrawnNumber>& to);
  void draw_values(BatchInstance& x) const;
  void draw_noise(BatchInstance& x, const Columns& columns) const;
  void draw_delay(BatchInstance& x, const Columns& columns) const;
  /// Returns the values of all parameters, by index.
  std::vector<double> wanted(const OwnNumbers& own) const;

  const Simulation& world_;
  Parameters parameters_;
  Randomized randomized_;
};

/// Returns the actions that reach the motors now; null if none has arrived yet. `actions` are those
/// of this step, `count` numbers.
const double* delayed(BatchInstance& x, const double* actions, std::size_t count);

}  // namespace servosim
