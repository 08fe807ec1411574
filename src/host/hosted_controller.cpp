// SPDX-License-Identifier: Apache-2.0
#include "host/hosted_controller.h"

#include <fmt/format.h>
#include <signal.h>

#include <system_error>

#include "core/child.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstNotice = 10s;
constexpr auto kNextNotice = 60s;

ControllerProcess start(const PlannedController& plan) {
  try {
    return ControllerProcess(plan.launch);
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("robot '{}': {}", plan.robot_name, error.what()));
  }
}

double seconds(HostedController::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

HostedController::HostedController(const PlannedController& plan, Simulation& simulation,
                                   SessionOptions options, Console& console)
    : robot_name_(plan.robot_name),
      synchronous_(plan.synchronous),
      console_(console),
      process_(start(plan)),
      link_(process_.take_link().release(), simulation, plan.robot, options) {}

bool HostedController::receive() {
  switch (link_.receive()) {
    case ControllerLink::Event::Nothing:
      return false;
    case ControllerLink::Event::Taken:
      break;
    case ControllerLink::Event::StepAsked:
      waiting_since_.reset();
      break;
    case ControllerLink::Event::Garbage:
      remove("sent " + link_.garbage());
      break;
  }
  return true;
}

void HostedController::end() {
  ended();
  // One that left before is still to say, by its exit status, whether that was well.
  if (link_.open()) {
    blameless_ = true;
    link_.end();
  }
}

bool HostedController::ended() {
  const std::optional<int> status = process_.wait_status();
  if (status && !reported_) {
    reported_ = true;
    report(*status);
  }
  return status.has_value();
}

void HostedController::take_leave() {
  while (may_ask() && receive()) {
  }
  link_.close();
}

void HostedController::stop(int signal_number) {
  blameless_ = true;
  process_.signal(signal_number);
}

void HostedController::watch(Clock::time_point now, std::optional<Clock::duration> timeout) {
  if (!waited_for()) {
    return;
  }
  if (!waiting_since_) {
    waiting_since_ = now;
    next_notice_ = now + kFirstNotice;
  }
  const Clock::duration waited = now - *waiting_since_;
  if (timeout && waited >= *timeout) {
    remove(fmt::format("did not ask for a step within {:g} s", seconds(*timeout)));
  } else if (now >= next_notice_) {
    next_notice_ += kNextNotice;
    console_.log(LogLevel::Warning,
                 fmt::format("robot '{}': its controller has not asked for a step for {:.0f} s; "
                             "the simulation waits for it",
                             robot_name_, seconds(waited)));
  }
}

void HostedController::remove(const std::string& why) {
  console_.log(LogLevel::Error,
               fmt::format("robot '{}': its controller {} and was removed", robot_name_, why));
  link_.close();
  failed_ = failed_ || !blameless_;
  stop(SIGKILL);
}

void HostedController::report(int wait_status) {
  const bool well = wait_status == 0 || blameless_;
  failed_ = failed_ || !well;
  console_.log(
      well ? LogLevel::Debug : LogLevel::Error,
      fmt::format("robot '{}': its controller {}", robot_name_, describe_wait_status(wait_status)));
}

}  // namespace servosim
