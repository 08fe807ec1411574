// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "base/event_loop.h"
#include "base/scoped.h"

namespace servosim::net {

/// The newest value that one thread hands to another, without locks: of three values the writer has
/// one, the reader one, and one is between them. A value that the reader does not fetch before the
/// next one is lost.
///
/// Invariant: the three indices are a permutation of 0, 1, 2.
template <typename T>
class TripleBuffer {
 public:
  explicit TripleBuffer(const T& initial = T()) : slots_{initial, initial, initial} {}

  // ---- the writer
  /// The value to fill in, completely: it holds an older one.
  T& draft() { return slots_[draft_]; }
  /// Hands the draft over.
  void publish() { draft_ = between_.exchange(draft_ | kNew) & ~kNew; }

  // ---- the reader
  /// Makes the newest value value(); false if it is that already.
  bool fetch() {
    if ((between_.load() & kNew) == 0) {
      return false;
    }
    value_ = between_.exchange(value_) & ~kNew;
    return true;
  }
  const T& value() const { return slots_[value_]; }

 private:
  static constexpr unsigned kNew = 4;

  std::array<T, 3> slots_;
  unsigned draft_ = 0;
  unsigned value_ = 1;
  std::atomic<unsigned> between_{2};
};

/// Hands states from the thread of a simulation to that of an event loop, which sends them. The
/// simulation only fills in numbers, without a call of the system: the loop polls each
/// kPollInterval. A state that is replaced in between is not delivered. If nothing newer comes, the
/// last state is delivered again, for readers that take silence for an end.
///
/// Constructed and destroyed in any other thread, which waits for the loop's meanwhile.
template <typename State>
class StatePublisher {
 public:
  /// How long a state waits at most.
  static constexpr std::chrono::milliseconds kPollInterval{1};

  /// `deliver` is called in the loop's thread. `initial` gives arrays their sizes. `repeat`: how
  /// long after a delivery the same state is delivered again; 0: never.
  StatePublisher(EventLoopThread& thread, const State& initial,
                 std::function<void(const State&)> deliver, std::chrono::milliseconds repeat = {})
      : thread_(thread), latest_(initial), deliver_(std::move(deliver)), repeat_(repeat) {
    thread_.call([this] {
      timer_.emplace(thread_.loop());
      poll();
    });
  }
  StatePublisher(const StatePublisher&) = delete;
  StatePublisher& operator=(const StatePublisher&) = delete;
  ~StatePublisher() {
    thread_.call([this] { timer_.reset(); });
  }

  /// In the simulation's thread; `fill(State&)` writes all of it. Never waits.
  template <typename Fill>
  void put(Fill&& fill) {
    fill(latest_.draft());
    latest_.publish();
  }

 private:
  void poll() {
    const Clock::time_point now = Clock::now();
    if (latest_.fetch() || (repeat_.count() > 0 && delivered_ && now - *delivered_ >= repeat_)) {
      delivered_ = now;
      deliver_(latest_.value());
    }
    timer_->start(kPollInterval, [this] { poll(); });
  }

  EventLoopThread& thread_;
  std::optional<Timer> timer_;  // constructed, used and destroyed in the loop's thread
  TripleBuffer<State> latest_;
  std::function<void(const State&)> deliver_;
  std::chrono::milliseconds repeat_;
  std::optional<Clock::time_point> delivered_;  // the last delivery; of the loop's thread
};

/// Tasks of other threads for the thread that owns the simulation, which runs them between two
/// steps. Its length has no bound of its own: each producer limits the tasks that it has pending.
class WorkQueue {
 public:
  /// @throws std::system_error
  WorkQueue();

  /// From any thread; never waits.
  void push(std::function<void()> task);

  // ---- in the owner's thread
  /// Most tasks of one serve(), so that a flood of them does not stop the simulation.
  static constexpr std::size_t kMaxTasks = 256;
  /// How long after its begin a serve() may begin a task, since a task may be long.
  static constexpr std::chrono::milliseconds kMaxDuration{1};
  /// Runs pending tasks; never waits. Returns how many. Without any it takes a few nanoseconds.
  std::size_t serve();
  /// A descriptor to poll, readable when there are tasks; -1 if there are already. After the poll
  /// call serve().
  int wake_descriptor();
  /// Runs tasks until `end`: in place of sleeping.
  std::size_t serve_until(Clock::time_point end);

 private:
  MpscQueue<std::function<void()>> pushed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> asleep_{false};
  bool watched_ = false;  // wake_descriptor() was called since the last serve(); of the owner
  Descriptor wake_;
};

}  // namespace servosim::net
