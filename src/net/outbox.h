// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "net/latest.h"
#include "net/reactor.h"

namespace servosim::net {

/// Hands states from the thread of a simulation to that of a reactor, which sends them: the
/// simulation only fills in numbers. What comes faster than it is sent is overwritten.
///
/// Made before the simulation runs; destroyed when the reactor does not run any more, or in its
/// thread.
template <typename State>
class Outbox {
 public:
  /// `deliver` is called in the reactor's thread. `initial` gives arrays their sizes.
  Outbox(Reactor& reactor, const State& initial, std::function<void(const State&)> deliver)
      : reactor_(reactor), latest_(initial), deliver_(std::move(deliver)) {}

  /// In the simulation's thread; `fill(State&)` writes all of it. Never waits.
  template <typename Fill>
  void put(Fill&& fill) {
    fill(latest_.draft());
    if (latest_.publish()) {
      reactor_.post([this] {
        if (latest_.fetch()) {
          deliver_(latest_.value());
        }
      });
    }
  }

 private:
  Reactor& reactor_;
  Latest<State> latest_;
  std::function<void(const State&)> deliver_;
};

}  // namespace servosim::net
