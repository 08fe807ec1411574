// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "batch/columns.h"
#include "batch/worker_pool.h"
#include "sim/lane_group.h"
#include "sim/step_group.h"

namespace servosim {

/// The actions of a step: instance i has row i·stride + first of an array of floats or doubles.
struct ActionRows {
  const void* data;
  bool is_float;
  std::size_t stride;
  std::size_t first;
};

/// The instances that a thread steps together, and their actions.
struct InstanceGroup {
  /// The group has room for `most` instances.
  InstanceGroup(std::size_t most, const Columns& columns)
      : action_count(columns.action_names.size()),
        row_size(columns.observation_names.size()),
        actions(most * action_count),
        row(row_size),
        steps(most) {
    stepping.reserve(most);
  }

  double* actions_of(std::size_t i) { return actions.data() + (i - first) * action_count; }

  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t action_count;
  std::size_t row_size;
  std::vector<double> actions;  // for the next step
  std::vector<double> row;      // the observations of one instance
  StepGroup steps;
  std::unique_ptr<JointLaneSolver> solver;  // null until it is needed
  std::vector<std::size_t> stepping;        // index of the instance for each member of `steps`
};

/// The threads of a batch, and what each of them has for the instances that it steps.
///
/// Threads: one caller at a time; group_of() is for the threads that run() uses.
class BatchWorkers {
 public:
  /// `most_together` limits how many instances a thread steps at once. This number is a multiple
  /// of `lanes`, whose instances have one thread. @throws std::system_error
  BatchWorkers(std::size_t threads, std::size_t count, std::size_t most_together,
               std::size_t lanes);

  /// Processes all instances, in pieces: see WorkerPool::run().
  void run(const WorkerPool::Work& work, const std::function<void()>& while_waiting = {}) {
    pool_.run(count_, piece_, work, while_waiting);
  }
  /// Calls `action` with the index of each instance.
  template <typename Action>
  void for_each(Action action) {
    run([&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) {
        action(i);
      }
    });
  }
  /// Returns the group of a worker, set to the instances in [first, last).
  InstanceGroup& group_of(std::size_t worker, std::size_t first, std::size_t last,
                          const Columns& columns);
  /// Drops the groups, since their rows are those of other columns, and limits how many instances a
  /// thread steps at once from now on.
  void drop_groups(std::size_t most_together);

 private:
  /// A thread takes at most its share of all instances.
  std::size_t piece_of(std::size_t most_together) const {
    const std::size_t piece =
        std::min((count_ + groups_.size() - 1) / groups_.size(), most_together);
    return (piece + lanes_ - 1) / lanes_ * lanes_;
  }

  std::size_t count_;
  std::size_t lanes_;
  std::size_t piece_ = 1;  // the most instances that a thread takes at once
  // The groups by worker. A group is made when its worker first has work.
  std::vector<std::unique_ptr<InstanceGroup>> groups_;
  WorkerPool pool_;  // declared last, since its threads use the other members
};

}  // namespace servosim
