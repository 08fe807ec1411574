// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report_once.h"
#include "batch/columns.h"
#include "batch/instance.h"
#include "batch/parameters.h"
#include "batch/table.h"
#include "batch/worker_pool.h"
#include "servosim/batch.h"
#include "sim/step_group.h"

namespace servosim {

// Names of Batch::randomize().
inline constexpr std::string_view kSensorNoise = "sensor noise";
inline constexpr std::string_view kNoise = " noise";  // behind a pattern
inline constexpr std::string_view kActionDelay = "action delay";

/// @throws std::invalid_argument if it is wrong
void refuse_if(bool wrong, const std::string& what);

/// @throws std::logic_error if a batch `is_at_work`
void refuse_if_at_work(bool is_at_work);

/// Marks a batch as at work as long as this lives: interrupts and notices are called in the middle
/// of the work, of which the batch can do one at a time.
///
/// Threads: as for a batch; another thread gets the exception, too.
class AtWork {
 public:
  /// @throws std::logic_error if it is marked
  explicit AtWork(std::atomic<bool>& mark) : mark_(mark) {
    refuse_if_at_work(mark_.exchange(true));
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork() { mark_ = false; }

 private:
  std::atomic<bool>& mark_;
};

struct DrawnNumber {
  std::size_t number;  // of Parameters
  std::uint64_t key;
  double low;
  double high;
};

struct DrawnNoise {
  std::string pattern;        // of observations; empty: all
  std::vector<bool> columns;  // that it matches
  std::uint64_t key;
  double low;
  double high;
};

struct DrawnDelay {
  std::uint32_t low;
  std::uint32_t high;
};

/// What Batch::randomize() has chosen.
struct Randomized {
  std::vector<DrawnNumber> numbers;
  std::vector<DrawnNoise> noise;
  DrawnDelay delay{0, 0};
};

/// Passes on what instances report, each text once, whichever instance and numbers it has. Numbers
/// in names and in places of a file count as text: those in quotes, behind a letter or a colon.
///
/// Threads: several may report at once; they take turns.
class SharedNotices {
 public:
  explicit SharedNotices(Notices to) : to_(std::move(to)) {}
  void report(std::string_view text);

 private:
  std::mutex mutex_;
  Notices to_;
  ReportOnce<std::string> reported_;  // without their numbers
};

/// Who looks at an instance after each basic step; a null one has seen enough.
struct Watcher {
  std::size_t instance;
  Batch::Watch watch;
};

/// Instances that a thread steps together, and their rows.
struct InstanceGroup {
  /// For so many at most.
  InstanceGroup(std::size_t most, const Columns& columns)
      : action_count(columns.action_names.size()),
        row_size(columns.observation_names.size()),
        actions(most * action_count),
        rows(most * row_size),
        fresh_row(row_size),
        steps(most) {
    stepping.reserve(most);
  }

  double* actions_of(std::size_t i) { return actions.data() + (i - first) * action_count; }
  double* row_of(std::size_t i) { return rows.data() + (i - first) * row_size; }

  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t action_count;
  std::size_t row_size;
  std::vector<double> actions;    // for the next step
  std::vector<double> rows;       // of the last step that has not failed
  std::vector<double> fresh_row;  // that is being observed
  StepGroup steps;
  std::vector<std::size_t> stepping;  // instances, by member of steps
};

/// Invariant: each list by instance has an element for each of them.
struct Batch::Parts {
  Parts(const Simulation& original, std::size_t count, const BatchOptions& the_options,
        const Interrupt& interrupt);

  std::size_t index(std::size_t instance) const {
    if (instance >= instances.size()) {
      throw std::out_of_range(fmt::format("instance {} of {}", instance, instances.size()));
    }
    return instance;
  }
  bool is_float() const { return options.number == BatchNumber::Float32; }

  void bind(Columns next);
  void forces_from_now_on();

  // ---- one instance, in any thread
  void begin_episode(std::size_t i, const SimulationState* state);
  void draw(BatchInstance& x) const;
  void draw_values(BatchInstance& x) const;
  void draw_noise(BatchInstance& x) const;
  void draw_delay(BatchInstance& x) const;
  std::vector<double> wanted(const OwnNumbers& own) const;
  void give_values(BatchInstance& x) const;
  const double* delayed(BatchInstance& x, const double* actions) const;
  void observe(BatchInstance& x, double* row) const;
  void observe(std::size_t i);
  void fail(std::size_t i, std::exception_ptr error);

  // ---- several, in any thread
  /// Instances from `first` on, before `last`, in the group that a worker of the pool has for all
  /// that it steps.
  InstanceGroup& group_of(std::size_t worker, std::size_t first, std::size_t last);
  /// Steps those that have not failed; an instance that fails changes nothing in the others.
  /// @returns the first shortage; null: none. It is to be thrown once the rows are written.
  [[nodiscard]] std::exception_ptr step(InstanceGroup& group);
  /// After a basic step of a group. @returns what a watcher has thrown first; null: nothing
  [[nodiscard]] std::exception_ptr show(InstanceGroup& group);

  template <typename Action>
  void for_each(Action action) {
    pool.run(instances.size(), piece(), [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) {
        action(i);
      }
    });
  }
  /// Which columns the noise is for. @throws std::invalid_argument
  std::vector<bool> noisy(const Columns& of, const std::string& pattern) const;
  /// How many instances a thread takes at once.
  std::size_t piece() const {
    const std::size_t share = (instances.size() + options.threads - 1) / options.threads;
    return std::min(share, most_together);
  }

  std::atomic<bool> at_work = false;
  BatchOptions options;
  Simulation world;  // as the batch began; stays so
  SimulationState begin;
  std::int64_t substeps;
  int sensor_period_ms;
  std::size_t most_together;  // instances that a thread steps at a time
  Parameters parameters;
  Randomized randomized;
  std::vector<BatchInstance> instances;
  Columns columns;
  BatchTable observed;
  BatchTable acted;
  std::vector<std::uint8_t> failed;
  std::vector<std::uint32_t> refused;
  std::vector<Watcher> watchers;  // each is touched by the thread that steps its instance
  std::vector<std::unique_ptr<InstanceGroup>> groups;  // by worker, made when it has work
  WorkerPool pool;                                     // last: its threads work on the rest
};

}  // namespace servosim
