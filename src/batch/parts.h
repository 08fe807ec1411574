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

// Names that Batch::randomize() accepts.
inline constexpr std::string_view kSensorNoise = "sensor noise";
inline constexpr std::string_view kNoise = " noise";  // follows a pattern
inline constexpr std::string_view kActionDelay = "action delay";

/// @throws std::invalid_argument if it is wrong
void refuse_if(bool wrong, const std::string& what);

/// @throws std::logic_error if `is_at_work`
void refuse_if_at_work(bool is_at_work);

/// Marks a batch as being at work during its lifetime. Interrupts and notices are called in the
/// middle of the work, and a batch can do only one piece of work at a time.
///
/// Threads: as for a batch; a second thread gets the exception, too.
class AtWork {
 public:
  /// @throws std::logic_error if the batch is marked already
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

/// Reports messages of instances, each text once, whichever instance it comes from and whichever
/// numbers it has. Numbers in quotes or after a letter or a colon belong to names and locations, so
/// they count as text.
///
/// Threads: several may report at once; a mutex orders them.
class SharedNotices {
 public:
  explicit SharedNotices(Notices to) : to_(std::move(to)) {}
  void report(std::string_view text);

 private:
  std::mutex mutex_;
  Notices to_;
  ReportOnce<std::string> reported_;  // keys are texts without numbers
};

/// A function that sees an instance after each basic step; it becomes null when it wants no more.
struct Watcher {
  std::size_t instance;
  Batch::Watch watch;
};

/// The instances that a thread steps together, and their rows.
struct InstanceGroup {
  /// The group has room for `most` instances.
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
  std::vector<double> rows;       // rows of the last step that succeeded
  std::vector<double> fresh_row;  // the row that is being observed
  StepGroup steps;
  std::vector<std::size_t> stepping;  // index of the instance for each member of `steps`
};

/// Invariant: each list of instances has one element per instance.
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

  // ---- one instance; any thread may call these
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

  // ---- several instances; any thread may call these
  /// Returns the group of a worker, set to the instances in [first, last).
  InstanceGroup& group_of(std::size_t worker, std::size_t first, std::size_t last);
  /// Steps the instances that have not failed. An instance that fails does not affect the others.
  /// @returns the first shortage, which the caller throws once the rows are written; null if there
  /// is none
  [[nodiscard]] std::exception_ptr step(InstanceGroup& group);
  /// Calls the watchers after a basic step of a group. @returns the first exception of a watcher;
  /// null if there is none
  [[nodiscard]] std::exception_ptr show(InstanceGroup& group);

  template <typename Action>
  void for_each(Action action) {
    pool.run(instances.size(), piece(), [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) {
        action(i);
      }
    });
  }
  /// Returns which columns the noise applies to. @throws std::invalid_argument
  std::vector<bool> noisy(const Columns& of, const std::string& pattern) const;
  /// Returns how many instances a thread takes at once.
  std::size_t piece() const {
    const std::size_t share = (instances.size() + options.threads - 1) / options.threads;
    return std::min(share, most_together);
  }

  std::atomic<bool> at_work = false;
  BatchOptions options;
  Simulation world;  // the world at the start of the batch; it never changes
  SimulationState begin;
  std::int64_t substeps;
  int sensor_period_ms;
  std::size_t most_together;  // the most instances that a thread steps at once
  Parameters parameters;
  Randomized randomized;
  std::vector<BatchInstance> instances;
  Columns columns;
  BatchTable observed;
  BatchTable acted;
  std::vector<std::uint8_t> failed;
  std::vector<std::uint32_t> refused;
  std::vector<Watcher> watchers;  // only the thread that steps the instance uses its watcher
  // The groups by worker. A group is made when its worker first has work.
  std::vector<std::unique_ptr<InstanceGroup>> groups;
  WorkerPool pool;  // declared last, since its threads use the other members
};

}  // namespace servosim
