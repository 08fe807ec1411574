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
/// block all of them. So this order applies only for `idle_limit` after the last message of the
/// others.
///
/// Invariants:
/// * receive() takes at most one message of each controller, so that none delays the others.
/// * While ready(), each controller that blocks the step has requested it.
class LockStep {
 public:
  using Clock = RunController::Clock;

  /// All arguments must outlive this object.
  LockStep(ControllerSet& controllers, const std::vector<RunExtension*>& extensions,
           const SignalWatch& signals, std::chrono::milliseconds idle_limit)
      : controllers_(controllers),
        extensions_(extensions),
        signals_(signals),
        idle_limit_(idle_limit) {}

  /// Starts the controllers' turn at the beginning of the run and after each step.
  void begin() { last_received_ = Clock::now(); }
  /// Takes a message of each controller whose turn it is. Returns false if there was none.
  bool receive();
  /// Returns whether each controller that blocks the step and is connected has requested it, so
  /// that none is computing.
  bool settled() const;
  /// Returns whether, in addition, no controller that blocks the step is absent.
  bool ready() const;
  /// Sleeps until a message of a controller whose turn it is, an extern client, an extension or a
  /// signal arrives, or until `at_most` has passed.
  void sleep(Clock::duration at_most);

 private:
  bool precedes_turn(const RunController& controller) const;
  bool turn_order_applies() const { return Clock::now() - last_received_ < idle_limit_; }

  ControllerSet& controllers_;
  const std::vector<RunExtension*>& extensions_;
  const SignalWatch& signals_;
  std::chrono::milliseconds idle_limit_;
  Clock::time_point last_received_;  // the last message of a controller whose turn it was
  std::vector<pollfd> queries_;      // temporary storage of sleep()
};

}  // namespace servosim
