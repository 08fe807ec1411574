// SPDX-License-Identifier: Apache-2.0
// How a host ends controllers, all or some.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "host/host.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr auto kGraceAfterTerm = 500ms;

}  // namespace

std::vector<HostedController*> Host::everyone() const {
  std::vector<HostedController*> all;
  for (const auto& controller : controllers_) {
    all.push_back(controller.get());
  }
  return all;
}

// A run without a limit lasts until all have ended, also those that left the simulation before.
void Host::wait_for_leavers() {
  if (steps_ || failed_ || stopped_) {
    return;
  }
  std::vector<HostedController*> leavers;
  for (HostedController* const controller : everyone()) {
    if (controller->quit_status()) {
      return;
    }
    if (controller->lingers()) {
      leavers.push_back(controller);
    }
  }
  while (interrupting_signal() == 0 && !wait_until_ended(leavers, 100ms)) {
  }
}

void Host::end_controllers() {
  end_these(everyone());
  pump_->finish();
}

// Waits until they have ended, whatever that takes.
void Host::end_these(const std::vector<HostedController*>& controllers) {
  for (HostedController* const controller : controllers) {
    controller->end();
  }
  const std::chrono::duration<double> grace(std::min(options_.end_timeout, 1e9));
  if (!wait_until_ended(controllers, std::chrono::duration_cast<Clock::duration>(grace))) {
    stop_remaining(controllers, SIGTERM);
    if (!wait_until_ended(controllers, kGraceAfterTerm)) {
      stop_remaining(controllers, SIGKILL);
      wait_until_ended(controllers, Clock::duration::max());
    }
  }
}

bool Host::wait_until_ended(const std::vector<HostedController*>& controllers,
                            Clock::duration at_most) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    bool heard = false;
    bool all_ended = true;
    for (HostedController* const controller : controllers) {
      heard = (controller->may_ask() && controller->receive()) || heard;
      all_ended = controller->ended() && all_ended;
    }
    if (all_ended || Clock::now() - start >= at_most) {
      return all_ended;
    }
    if (!heard) {
      block(1ms);
    }
  }
}

void Host::stop_remaining(const std::vector<HostedController*>& controllers, int signal_number) {
  for (HostedController* const controller : controllers) {
    if (!controller->ended() && controller->is_extern()) {
      controller->stop(signal_number);
    } else if (!controller->ended()) {
      console_.log(
          LogLevel::Warning,
          fmt::format("robot '{}': its controller goes on after the end; sending {}{}",
                      controller->robot_name(), signal_number == SIGTERM ? "SIGTERM" : "SIGKILL",
                      signal_number == SIGTERM ? " (--end-timeout S gives it more time)" : ""));
      controller->stop(signal_number);
    }
  }
}

}  // namespace servosim
