// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <vector>

#include "run/controller_set.h"
#include "run/run_extension.h"
#include "run/signals.h"

namespace servosim {

/// Which controllers must have requested the next step before time advances, and the order in which
/// requests are processed.
///
/// Supervisors are last, one after the other, so that the state that they read does not depend on
/// the speed of controllers. A controller that waits for a supervisor and requests no step would
/// block all: so this order applies only for `idle_limit` after the last message of the others.
///
/// Invariants:
/// * receive() takes one message of each controller at most: none delays the others.
/// * While ready(), each controller that blocks the step has requested it.
class LockStep {
 public:
  using Clock = Controller::Clock;

  /// All must outlive it.
  LockStep(ControllerSet& controllers, const std::vector<RunExtension*>& extensions,
           const SignalWatch& signals, std::chrono::milliseconds idle_limit)
      : controllers_(controllers),
        extensions_(extensions),
        signals_(signals),
        idle_limit_(idle_limit) {}

  /// Starts the controllers' turn: the run begins, or a step has been taken.
  void begin() { last_received_ = Clock::now(); }
  /// Takes a message of each controller whose turn it is. False: there was none.
  bool receive();
  /// Each controller that blocks the step and is there has requested it, so that none is computing.
  bool settled() const;
  /// The same, and none that blocks the step is absent.
  bool ready() const;
  /// Sleeps until a message of a controller whose turn it is, an extern client, an extension or a
  /// signal arrives, or `at_most` has passed.
  void sleep(Clock::duration at_most);

 private:
  bool precedes_turn(const Controller& controller) const;
  bool turn_order_applies() const { return Clock::now() - last_received_ < idle_limit_; }

  ControllerSet& controllers_;
  const std::vector<RunExtension*>& extensions_;
  const SignalWatch& signals_;
  std::chrono::milliseconds idle_limit_;
  Clock::time_point last_received_;  // of a controller whose turn it was
  std::vector<pollfd> queries_;      // scratch of sleep()
};

}  // namespace servosim
