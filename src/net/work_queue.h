// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>

#include "core/descriptor.h"
#include "net/mailbox.h"
#include "net/reactor.h"

namespace servosim::net {

/// What other threads want done by the one that owns the simulation, between its steps. It is as
/// long as those who push allow themselves to have under way.
class WorkQueue {
 public:
  /// @throws std::system_error
  WorkQueue();

  /// From any thread; never waits.
  void push(std::function<void()> task);

  // ---- in the owner's thread
  /// Most tasks of one serve(), so that a flood cannot hold the simulation up.
  static constexpr std::size_t kAtOnce = 256;
  /// No task is begun later than that after the first of one serve(), for some are long.
  static constexpr std::chrono::milliseconds kLongest{1};
  /// Does what is there; never waits. How many that were. Costs a few nanoseconds for nothing.
  std::size_t serve();
  /// For a poll of one's own: readable when there is something to serve. -1: there is already.
  int wake_descriptor();
  /// Does what comes until a moment: in place of sleeping.
  std::size_t serve_until(Clock::time_point end);

 private:
  Mailbox<std::function<void()>> pushed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> asleep_{false};
  bool watched_ = false;  // since the last serve(); the owner's
  Descriptor wake_;
};

}  // namespace servosim::net
