// SPDX-License-Identifier: Apache-2.0
#include "run/lock_step.h"

#include <algorithm>

#include "base/assert.h"

namespace servosim {

bool LockStep::receive() {
  bool received = false;
  for (const auto& controller : controllers_.all()) {
    const bool too_early = precedes_turn(*controller);
    if (!(too_early && turn_order_applies()) && controller->may_send() && controller->receive()) {
      received = true;
      if (controllers_.has_supervisor() && !too_early) {
        last_received_ = Clock::now();
      }
    }
  }
  return received;
}

bool LockStep::settled() const {
  return std::none_of(controllers_.all().begin(), controllers_.all().end(),
                      [](const auto& controller) {
                        return controller->blocks_step() &&
                               !(controller->awaits_connection() && controller->is_extern());
                      }) &&
         std::all_of(extensions_.begin(), extensions_.end(),
                     [](const RunExtension* extension) { return extension->ready(); });
}

bool LockStep::ready() const {
  return settled() &&
         std::none_of(controllers_.all().begin(), controllers_.all().end(),
                      [](const auto& controller) { return controller->blocks_step(); });
}

// Returns whether a supervisor waits for its turn because another controller or an earlier
// supervisor still computes.
bool LockStep::precedes_turn(const RunController& controller) const {
  if (!controllers_.has_supervisor() || !controller.is_supervisor() ||
      controller.session() == nullptr || !controller.session()->started()) {
    return false;
  }
  bool is_before = true;
  for (const auto& other : controllers_.all()) {
    if (other.get() == &controller) {
      is_before = false;
    } else if ((is_before || !other->is_supervisor()) && other->is_computing()) {
      return true;
    }
  }
  SERVOSIM_ASSERT(!is_before, "robot '{}' has no turn", controller.robot_name());
  return false;
}

void LockStep::sleep(Clock::duration at_most) {
  queries_.clear();
  if (interrupting_signal() == 0) {
    queries_.push_back({signals_.descriptor(), POLLIN, 0});
  }
  for (const auto& controller : controllers_.all()) {
    if (controller->may_send() && !(precedes_turn(*controller) && turn_order_applies())) {
      queries_.push_back({controller->descriptor(), POLLIN, 0});
    }
  }
  if (controllers_.awaits_connection()) {
    controllers_.add_extern_queries(queries_);
  }
  for (RunExtension* const extension : extensions_) {
    const int descriptor = extension->wake_descriptor();
    if (descriptor == -1) {
      return;
    }
    queries_.push_back({descriptor, POLLIN, 0});
  }
  const auto ns = std::chrono::nanoseconds(at_most).count();
  const timespec timeout{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  static_cast<void>(  // all are polled again in any case
      ::ppoll(queries_.data(), queries_.size(), &timeout, nullptr));
}

}  // namespace servosim
