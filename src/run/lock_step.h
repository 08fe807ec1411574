// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <vector>

#include "run/controller_set.h"
#include "run/run_extension.h"
#include "run/signals.h"

namespace servosim {

/// Who must have asked for the next step before time advances, and whose requests are taken first.
///
/// Supervisors come last, one after the other, so that what they find does not depend on who is
/// faster. A controller that waits for a supervisor instead of asking for a step would block all:
/// so a supervisor is out of turn only for `patience` after the last message of the others.
///
/// Invariants:
/// * receive() takes one message of each controller at most: none keeps the others waiting.
/// * While ready(), no controller that blocks the step is still to ask for it.
class LockStep {
 public:
  using Clock = Controller::Clock;

  /// All must outlive it.
  LockStep(ControllerSet& controllers, const std::vector<RunExtension*>& extensions,
           const SignalWatch& signals, std::chrono::milliseconds patience)
      : controllers_(controllers),
        extensions_(extensions),
        signals_(signals),
        patience_(patience) {}

  /// The controllers compute from now on: the run begins, or a step has been taken.
  void begin() { last_received_ = Clock::now(); }
  /// Takes a message of each controller whose turn it is. False: there was none.
  bool receive();
  /// Nobody who blocks the step is still to ask for it.
  bool ready() const;
  /// Sleeps until a controller whose turn it is, an extern one, an extension or a signal has
  /// something, or `at_most` has passed.
  void sleep(Clock::duration at_most);

 private:
  bool out_of_turn(const Controller& controller) const;
  bool turn_order_applies() const { return Clock::now() - last_received_ < patience_; }

  ControllerSet& controllers_;
  const std::vector<RunExtension*>& extensions_;
  const SignalWatch& signals_;
  std::chrono::milliseconds patience_;
  Clock::time_point last_received_;  // of a controller whose turn it was
  std::vector<pollfd> queries_;      // scratch of sleep()
};

}  // namespace servosim
