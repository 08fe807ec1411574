// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "servosim/simulation.h"
#include "sweep/sweep_plan.h"

namespace servosim {

struct SweepOptions {
  std::string world;      ///< a path
  LoadOptions load = {};  ///< its settings are for all runs, and made before those of a variant
  SweepVariation variation = {};
  std::optional<double> duration = std::nullopt;     ///< [s]
  std::optional<std::int64_t> steps = std::nullopt;  ///< in its place; 10 s without both
  std::vector<std::string> watch = {};  ///< globs of joints, as for watch(); all without any
  /// `ROBOT=PROGRAM`, where a caller starts programs: they are part of id(), and of nothing else.
  std::vector<std::string> controllers = {};
  /// What a world may lack without Exit::Incomplete.
  std::vector<Missing> allow_missing = {};
};

/// A value of a row: none, a whole number, a number or a text.
using SweepValue = std::variant<std::monostate, std::int64_t, double, std::string>;
/// A run as values, in the order of Sweep::columns().
using SweepRow = std::vector<SweepValue>;

/// A value as a number if the whole text is one.
SweepValue sweep_value(const std::string& text);

/// Some runs of a sweep: those of numbers that `number` gives for 0 ... count - 1; it may be called
/// in any thread, and gives none for a run that is left out.
struct SweepSelection {
  std::uint64_t count = 0;
  std::function<std::optional<std::uint64_t>(std::uint64_t index)> number = {};
};

/// Many runs of a world without controllers that differ in fields and seeds. A row depends on
/// nothing but the options, the files of the world and the number of the run: `wall_time` apart it
/// has the same bits in each thread and process.
///
/// Threads: several may call all const members at once, run() included.
class Sweep {
 public:
  /// Of the column exit_code, as `servosim run` has them.
  enum Exit : std::int64_t { Ok = 0, Failed = 1, BadInput = 2, Incomplete = 3 };
  /// Asked now and then between two steps of a run, in the calling thread: true ends all runs.
  using Interrupt = std::function<bool()>;
  /// Gets the rows as they come, one at a time, in any thread.
  using TakeRow = std::function<void(const SweepRow& row)>;
  /// Makes the row of a run in another way, in any thread; nothing if the run was interrupted.
  using Runner = std::function<std::optional<SweepRow>(const SweepRun& run)>;

  /// Loads the world. @throws LoadError; std::invalid_argument also for a parameter that the world
  /// does not have, with the closest names
  explicit Sweep(SweepOptions options);
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;
  ~Sweep();

  const SweepPlan& plan() const;
  const SweepOptions& options() const;
  /// `s` and 15 hexadecimal digits that the contents of the world's files, the options and the
  /// variation decide; where the files are does not count.
  const std::string& id() const;
  /// Makes id() another one by what decides the rows and the sweep does not know, such as contents
  /// of programs that a Runner starts. Before the first row.
  void add_to_id(const std::string& contents);
  /// The names of the values of a row: sweep, servosim (its version), run, runs (that the
  /// sweep has), the paths of parameters, seed, exit_code, message, steps, simulated_time [s],
  /// wall_time (of loading or going back, and of all steps) [s], state_hash; then of each joint and
  /// robot what `servosim run --json` has: `arm/shoulder.position.final`.
  const std::vector<std::string>& columns() const;
  /// The place of a column. @throws std::out_of_range
  std::size_t column(const std::string& name) const;
  /// The world without parameters.
  const Simulation& world() const;
  /// The first columns of a row, up to the seed.
  SweepRow begin_row(const SweepRun& run) const;

  /// Runs one. @throws Shortage, std::bad_alloc
  SweepRow run(std::uint64_t number) const;
  /// Runs several in `threads` >= 1 threads, the calling one among them. What `take` or `runner`
  /// throw ends all. @returns false if it was interrupted: rows of runs that were not over are not
  /// given
  bool run(const SweepSelection& selection, std::size_t threads, const TakeRow& take,
           const Interrupt& interrupt = {}, const Runner& runner = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace servosim
