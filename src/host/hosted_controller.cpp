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
// A controller reads its answers at once, unless it is stopped or means harm.
constexpr int kSendTimeoutMs = 10000;

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
      stream_(process_.take_link().release()),
      session_(simulation, plan.robot, options) {}

bool HostedController::receive() {
  switch (stream_.try_receive()) {
    case Stream::Status::Nothing:
      return false;
    case Stream::Status::Closed:
      connected_ = false;
      return true;
    case Stream::Status::Garbage:
      remove("sent a message of impossible length");
      return true;
    case Stream::Status::Message:
      break;
  }
  switch (session_.receive(stream_.message())) {
    case Session::Outcome::Answered:
    case Session::Outcome::Quit:
      send(session_.reply());
      break;
    case Session::Outcome::Pending:
      waiting_since_.reset();
      break;
    case Session::Outcome::Bye:
      connected_ = false;
      break;
    case Session::Outcome::Garbage:
      remove(fmt::format("sent garbage ({})", session_.error()));
      break;
  }
  return true;
}

void HostedController::after_step() {
  if (session_.after_step() && connected_) {
    send(session_.reply());
  }
}

void HostedController::end() {
  ended();
  // One that left before is still to say, by its exit status, whether that was well.
  if (connected_) {
    blameless_ = true;
    if (const auto answer = session_.ending_answer(); !answer.empty()) {
      send(answer);
    }
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
  connected_ = false;
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

void HostedController::send(std::span<const std::byte> message) {
  // When it cannot be sent, the other side is gone; its exit status will say more.
  connected_ = stream_.send(message, kSendTimeoutMs) && connected_;
}

void HostedController::remove(const std::string& why) {
  console_.log(LogLevel::Error,
               fmt::format("robot '{}': its controller {} and was removed", robot_name_, why));
  connected_ = false;
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
