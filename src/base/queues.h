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

/// The newest value that one thread hands to another. Neither waits: there are three values, one in
/// the hands of each and one between them. What the reader does not fetch in time is overwritten.
template <typename T>
class TripleBuffer {
 public:
  explicit TripleBuffer(const T& initial = T()) : slots_{initial, initial, initial} {}

  // ---- the writer
  /// What to fill in, completely: it holds an older value.
  T& draft() { return slots_[draft_]; }
  /// Hands the draft over.
  void publish() { draft_ = between_.exchange(draft_ | kNew) & ~kNew; }

  // ---- the reader
  /// Whether there is a newer value; value() then is it.
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

/// Hands states from the thread of a simulation to that of a loop, which sends them. The
/// simulation only fills in numbers: not even a system call, as the loop looks for itself. What
/// comes faster than it looks is overwritten; what came last is delivered again where nothing newer
/// comes, for readers that take silence for an end.
///
/// Made and destroyed by any other thread, which then waits for the loop's.
template <typename State>
class StatePublisher {
 public:
  /// How long a state may lie there.
  static constexpr std::chrono::milliseconds kLook{1};

  /// `deliver` is called in the loop's thread. `initial` gives arrays their sizes. `repeat`: how
  /// long after a delivery the same state is delivered again; 0: never.
  StatePublisher(EventLoopThread& thread, const State& initial,
                 std::function<void(const State&)> deliver, std::chrono::milliseconds repeat = {})
      : thread_(thread), latest_(initial), deliver_(std::move(deliver)), repeat_(repeat) {
    thread_.call([this] {
      timer_.emplace(thread_.loop());
      look();
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
  void look() {
    const Clock::time_point now = Clock::now();
    if (latest_.fetch() || (repeat_.count() > 0 && delivered_ && now - *delivered_ >= repeat_)) {
      delivered_ = now;
      deliver_(latest_.value());
    }
    timer_->start(kLook, [this] { look(); });
  }

  EventLoopThread& thread_;
  std::optional<Timer> timer_;  // the loop's thread alone makes, uses and destroys it
  TripleBuffer<State> latest_;
  std::function<void(const State&)> deliver_;
  std::chrono::milliseconds repeat_;
  std::optional<Clock::time_point> delivered_;  // the loop's
};

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
  MpscQueue<std::function<void()>> pushed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> asleep_{false};
  bool watched_ = false;  // since the last serve(); the owner's
  Descriptor wake_;
};

}  // namespace servosim::net
