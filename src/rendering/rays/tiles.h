// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/child_process.h"

namespace servosim::rays {

/// Calls work(n) for each n below `count`, in this thread and in as many others as make `threads`.
/// The calls must be independent and throw nothing, so that the number of threads cannot matter.
template <typename Work>
void for_each_tile(int count, int threads, const Work& work) {
  std::atomic<int> next{0};
  const auto take = [&] {
    for (int tile = next++; tile < count; tile = next++) {
      work(tile);
    }
  };
  std::vector<std::jthread> others;
  {
    const BlockedSignals blocked;
    for (int i = 1; i < std::min(threads, count); ++i) {
      others.emplace_back(take);
    }
  }
  take();
}

}  // namespace servosim::rays
