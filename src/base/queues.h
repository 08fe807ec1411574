// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "base/event_loop.h"
#include "base/scoped.h"

namespace servosim::net {

/// Hands the newest value from one thread to another, without locks. Of three values the writer
/// owns one, the reader owns one, and one is in between. A value that the reader does not fetch
/// before the next one is lost.
///
/// Invariant: the three indices are a permutation of 0, 1, 2.
template <typename T>
class TripleBuffer {
 public:
  explicit TripleBuffer(const T& initial = T()) : slots_{initial, initial, initial} {}

  // ---- called by the writer
  /// Returns the value to fill in. It holds an older value, so the writer must set all of it.
  T& draft() { return slots_[draft_]; }
  /// Hands the draft over.
  void publish() { draft_ = between_.exchange(draft_ | kNew) & ~kNew; }

  // ---- called by the reader
  /// Makes the newest value value(); returns false if it is that already.
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

/// When a StatePublisher delivers a state.
enum class Delivery : std::uint8_t {
  Polled,  ///< within kPollInterval; the simulation makes no system call
  AtOnce,  ///< as soon as the loop can; the simulation wakes it. Nothing is delivered again
};

/// Hands states from the thread of a simulation to that of an event loop, which sends them. The
/// simulation only fills in numbers and, unless Delivery::AtOnce, makes no system call. A state
/// that is replaced before its delivery is not delivered. If no newer state comes, the last one is
/// delivered again, for readers that take silence for an end.
///
/// Construct and destroy it in a thread that is neither of the two and that waits for the loop's
/// thread meanwhile.
template <typename State>
class StatePublisher {
 public:
  /// The longest time that a state waits.
  static constexpr std::chrono::milliseconds kPollInterval{1};

  /// `deliver` is called in the loop's thread. `initial` gives arrays their sizes. `repeat` is the
  /// time after which the same state is delivered again; 0 means never.
  StatePublisher(EventLoopThread& thread, const State& initial,
                 std::function<void(const State&)> deliver, std::chrono::milliseconds repeat = {},
                 Delivery delivery = Delivery::Polled)
      : thread_(thread),
        latest_(initial),
        deliver_(std::move(deliver)),
        repeat_(repeat),
        delivery_(delivery) {
    if (delivery_ == Delivery::Polled) {
      thread_.call([this] {
        timer_.emplace(thread_.loop());
        poll();
      });
    }
  }
  StatePublisher(const StatePublisher&) = delete;
  StatePublisher& operator=(const StatePublisher&) = delete;
  ~StatePublisher() {
    thread_.call([this] { timer_.reset(); });
  }

  /// Publishes a state that `fill(State&)` writes completely. Only the simulation's thread may call
  /// it; it never waits.
  template <typename Fill>
  void put(Fill&& fill) {
    fill(latest_.draft());
    latest_.publish();
    if (delivery_ == Delivery::AtOnce && !posted_.exchange(true)) {
      thread_.loop().post([this] {
        posted_ = false;
        if (latest_.fetch()) {
          deliver_(latest_.value());
        }
      });
    }
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
  Delivery delivery_;
  std::atomic<bool> posted_{false};  // the loop has a job that delivers the latest state
  // Time of the last delivery; used in the loop's thread.
  std::optional<Clock::time_point> delivered_;
};

/// Tasks of other threads for the thread that owns the simulation, which runs them between two
/// steps. The queue has no length limit of its own: each producer limits the tasks that it has
/// pending.
class WorkQueue {
 public:
  /// @throws std::system_error
  WorkQueue();

  /// May be called from any thread; never waits.
  void push(std::function<void()> task);

  // ---- called by the owner's thread
  /// The most tasks that one serve() runs, so that a flood of them does not stop the simulation.
  static constexpr std::size_t kMaxTasks = 256;
  /// The time after its start during which serve() may begin another task, since a task may take
  /// long.
  static constexpr std::chrono::milliseconds kMaxDuration{1};
  /// Runs pending tasks, never waits, and returns their number. If there are none, it takes a few
  /// nanoseconds.
  std::size_t serve();
  /// Returns a descriptor to poll, which becomes readable when there are tasks; -1 if there are
  /// tasks already. Call serve() after the poll.
  int wake_descriptor();
  /// Runs tasks until `end`; it replaces a sleep.
  std::size_t serve_until(Clock::time_point end);

 private:
  MpscQueue<std::function<void()>> pushed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> asleep_{false};
  // wake_descriptor() was called since the last serve(). Only the owner uses it.
  bool watched_ = false;
  Descriptor wake_;
};

}  // namespace servosim::net
