// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "base/child_process.h"

namespace servosim {

/// The fewest tiles of a picture for which a thread is started. A tile takes about as long as the
/// start.
inline constexpr int kTilesOfAThread = 8;

/// Calls work(n) for each n below `count`, in this thread and in as many others as make `threads`,
/// or fewer: where there is little to do, or where the system starts no more. The calls must be
/// independent and throw nothing, so that the number of threads cannot matter.
template <typename Work>
void for_each_tile(int count, int threads, const Work& work) {
  std::atomic<int> next{0};
  const auto take = [&] {
    for (int tile = next++; tile < count; tile = next++) {
      work(tile);
    }
  };
  std::vector<std::jthread> others;
  if (const int most = std::min(threads, count / kTilesOfAThread); most > 1) {
    const BlockedSignals blocked;
    try {
      for (int i = 1; i < most; ++i) {
        others.emplace_back(take);
      }
    } catch (const std::system_error&) {  // the other threads do its work
    }
  }
  take();
}

}  // namespace servosim
