// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "net/latest.h"
#include "net/reactor.h"

namespace servosim::net {

/// Hands states from the thread of a simulation to that of a reactor, which sends them. The
/// simulation only fills in numbers: not even a system call, as the reactor looks for itself. What
/// comes faster than it looks is overwritten; what came last is delivered again where nothing newer
/// comes, for readers that take silence for an end.
///
/// Made and destroyed by any other thread, which then waits for the reactor's.
template <typename State>
class Outbox {
 public:
  /// How long a state may lie there.
  static constexpr std::chrono::milliseconds kLook{1};

  /// `deliver` is called in the reactor's thread. `initial` gives arrays their sizes. `repeat`: how
  /// long after a delivery the same state is delivered again; 0: never.
  Outbox(ReactorThread& thread, const State& initial, std::function<void(const State&)> deliver,
         std::chrono::milliseconds repeat = {})
      : thread_(thread), latest_(initial), deliver_(std::move(deliver)), repeat_(repeat) {
    thread_.call([this] {
      timer_.emplace(thread_.reactor());
      look();
    });
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() {
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

  ReactorThread& thread_;
  std::optional<Timer> timer_;  // the reactor's thread alone makes, uses and destroys it
  Latest<State> latest_;
  std::function<void(const State&)> deliver_;
  std::chrono::milliseconds repeat_;
  std::optional<Clock::time_point> delivered_;  // the reactor's
};

}  // namespace servosim::net
