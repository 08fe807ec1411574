// SPDX-License-Identifier: Apache-2.0
#include "batch/batch_workers.h"

#include <algorithm>

#include "base/assert.h"

namespace servosim {

BatchWorkers::BatchWorkers(std::size_t threads, std::size_t count, std::size_t most_together,
                           std::size_t lanes)
    : count_(count), lanes_(lanes), groups_(threads), pool_(threads) {
  piece_ = piece_of(most_together);
}

InstanceGroup& BatchWorkers::group_of(std::size_t worker, std::size_t first, std::size_t last,
                                      const Columns& columns) {
  std::unique_ptr<InstanceGroup>& group = groups_[worker];
  if (group == nullptr) {
    group = std::make_unique<InstanceGroup>(piece_, columns);
  }
  SERVOSIM_ASSERT(group->action_count == columns.action_names.size() &&
                      group->row_size == columns.observation_names.size(),
                  "{} actions, {} observations", group->action_count, group->row_size);
  group->first = first;
  group->last = last;
  return *group;
}

void BatchWorkers::drop_groups(std::size_t most_together) {
  piece_ = piece_of(most_together);
  for (std::unique_ptr<InstanceGroup>& group : groups_) {
    group = nullptr;
  }
}

}  // namespace servosim
