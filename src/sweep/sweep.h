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
  LoadOptions load = {};  ///< the settings apply to all runs; those of a variant follow them
  SweepVariation variation = {};
  std::optional<double> duration = std::nullopt;  ///< [s]
  /// Replaces the duration; without both the duration is 10 s.
  std::optional<std::int64_t> steps = std::nullopt;
  /// Globs of joints, as for watch(); an empty list means all.
  std::vector<std::string> watch = {};
  /// `ROBOT=PROGRAM` for programs that the caller starts. They affect only id().
  std::vector<std::string> controllers = {};
  /// Parts that a world may lack without Exit::Incomplete.
  std::vector<Missing> allow_missing = {};
};

/// A value of a row: none, a whole number, a number or a text.
using SweepValue = std::variant<std::monostate, std::int64_t, double, std::string>;
/// The values of a run, in the order of Sweep::columns().
using SweepRow = std::vector<SweepValue>;

/// Returns a number if the whole text is one, otherwise the text.
SweepValue sweep_value(const std::string& text);

/// A selection of the runs of a sweep. `number` returns the run for an index in 0 ... count - 1, or
/// nothing for a run that is left out. Any thread may call it.
struct SweepSelection {
  std::uint64_t count = 0;
  std::function<std::optional<std::uint64_t>(std::uint64_t index)> number = {};
};

/// Many runs of a world without controllers that differ in fields and seeds. A row depends only on
/// the options, the files of the world and the number of the run. Apart from `wall_time`, it has
/// the same bits in each thread and process.
///
/// Threads: several may call all const members at once, run() included.
class Sweep {
 public:
  /// Values of the column exit_code, which are those of `servosim run`.
  enum Exit : std::int64_t { Ok = 0, Failed = 1, BadInput = 2, Incomplete = 3 };
  /// Called from time to time between two steps of a run, in the calling thread; returning true
  /// ends all runs.
  using Interrupt = std::function<bool()>;
  /// Receives the rows as they are completed, one at a time, in any thread.
  using TakeRow = std::function<void(const SweepRow& row)>;
  /// Makes the row of a run in another way, in any thread; returns nothing if the run was
  /// interrupted.
  using Runner = std::function<std::optional<SweepRow>(const SweepRun& run)>;

  /// Loads the world. @throws LoadError; std::invalid_argument, also for a parameter that the world
  /// does not have, with the closest names
  explicit Sweep(SweepOptions options);
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;
  ~Sweep();

  const SweepPlan& plan() const;
  const SweepOptions& options() const;
  /// Returns `s` and 15 hexadecimal digits. They depend on the contents of the world's files, the
  /// options and the variation, but not on where the files are.
  const std::string& id() const;
  /// Makes id() depend on contents that affect the rows and that the sweep does not know, such as
  /// those of programs that a Runner starts. Call it before the first row.
  void add_to_id(const std::string& contents);
  /// Returns the names of the values of a row: sweep, servosim (its version), run, runs (their
  /// total number), the paths of parameters, seed, exit_code, message, steps, simulated_time [s],
  /// wall_time (of loading or restoring, and of all steps) [s], state_hash; then for each joint and
  /// robot what `servosim run --json` reports, such as `arm/shoulder.position.final`.
  const std::vector<std::string>& columns() const;
  /// Returns the index of a column. @throws std::out_of_range
  std::size_t column(const std::string& name) const;
  /// Returns the world without parameters.
  const Simulation& world() const;
  /// Returns the first columns of a row, up to the seed.
  SweepRow begin_row(const SweepRun& run) const;

  /// Runs one variant with one seed. @throws Shortage, std::bad_alloc
  SweepRow run(std::uint64_t number) const;
  /// Runs several in `threads` >= 1 threads, the calling thread included. An exception of `take` or
  /// `runner` ends all. @returns false if it was interrupted: runs that were not complete have no
  /// rows
  bool run(const SweepSelection& selection, std::size_t threads, const TakeRow& take,
           const Interrupt& interrupt = {}, const Runner& runner = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace servosim
