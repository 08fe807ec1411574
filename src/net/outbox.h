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
/// comes faster than it looks is overwritten.
///
/// Made and destroyed by any other thread, which then waits for the reactor's.
template <typename State>
class Outbox {
 public:
  /// How long a state may lie there.
  static constexpr std::chrono::milliseconds kLook{1};

  /// `deliver` is called in the reactor's thread. `initial` gives arrays their sizes.
  Outbox(ReactorThread& thread, const State& initial, std::function<void(const State&)> deliver)
      : thread_(thread), latest_(initial), deliver_(std::move(deliver)) {
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
    if (latest_.fetch()) {
      deliver_(latest_.value());
    }
    timer_->start(kLook, [this] { look(); });
  }

  ReactorThread& thread_;
  std::optional<Timer> timer_;  // the reactor's thread alone makes, uses and destroys it
  Latest<State> latest_;
  std::function<void(const State&)> deliver_;
};

}  // namespace servosim::net
