// SPDX-License-Identifier: Apache-2.0
#include "run/controller.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/child_process.h"
#include "base/shortage.h"
#include "scene/scene.h"

namespace servosim {
namespace {

// A controller reads its answers at once, unless it is stopped or means harm.
constexpr int kSendTimeoutMs = 2000;

}  // namespace

ControllerLink::Event ControllerLink::receive() {
  switch (stream_.try_receive()) {
    case Stream::Status::Nothing:
      return Event::Nothing;
    case Stream::Status::Closed:
      close();
      return Event::Taken;
    case Stream::Status::Garbage:
      return refuse("a message of impossible length");
    case Stream::Status::Message:
      break;
  }
  switch (session_.receive(stream_.message())) {
    case Session::Outcome::Answered:
    case Session::Outcome::Quit:
      send(session_.reply());
      return Event::Taken;
    case Session::Outcome::Pending:
      return Event::StepAsked;
    case Session::Outcome::Bye:
      close();
      return Event::Taken;
    case Session::Outcome::Garbage:
      break;
  }
  return refuse("garbage (" + session_.error() + ")");
}

void ControllerLink::close() {
  if (std::exchange(open_, false)) {
    ::shutdown(stream_.fd(), SHUT_RDWR);
    session_.settle();
  }
}

bool ControllerLink::hung_up() const {
  std::byte any{};
  const ssize_t got = ::recv(stream_.fd(), &any, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void ControllerLink::after_step() {
  if (session_.after_step() && open_) {
    send(session_.reply());
  }
}

void ControllerLink::end() {
  session_.settle();
  if (const Bytes answer = session_.ending_answer(); open_ && !answer.empty()) {
    send(answer);
  }
}

void ControllerLink::send(Bytes message) {
  const bool sent = stream_.send(message, kSendTimeoutMs);
  if (!sent && (errno == ENOBUFS || errno == ENOMEM)) {
    throw Shortage(errno, "a controller cannot be answered");
  }
  // When it cannot be sent, the other side is gone; its exit status will say more.
  if (!sent) {
    close();
  }
}

ControllerLink::Event ControllerLink::refuse(std::string why) {
  garbage_ = std::move(why);
  close();
  return Event::Garbage;
}

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstNotice = 10s;
constexpr auto kNextNotice = 60s;
constexpr auto kPatienceWithGuests = 5s;  // from the welcome to the hello
constexpr auto kTimeToPrepare = 2s;       // of one whom nobody waits for later
constexpr auto kTimeToComeBack = 60s;     // of what a program of ours starts in its place
constexpr auto kTimeToExit = 5s;          // of a program whose link has closed

double seconds(HostedController::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

HostedController::HostedController(const PlannedController& plan, Simulation& simulation,
                                   SessionOptions options, Console& console)
    : robot_name_(plan.robot_name),
      robot_(simulation.robot(plan.robot)),
      synchronous_(plan.synchronous),
      simulation_(simulation),
      options_(options),
      console_(console),
      awaited_(plan.is_extern) {
  if (plan.is_extern) {
    return;
  }
  try {
    LaunchSpec launch = plan.launch;
    try {
      fallback_socket_.emplace();
      launch.environment.emplace_back(kFallbackSocketVariable, fallback_socket_->name());
    } catch (const std::system_error& error) {
      rethrow_if_short(error);
      fallback_socket_.reset();  // only a program started by the controller would use it
    }
    process_.emplace(launch);
  } catch (const std::system_error& error) {
    throw_if_short(error.code(),
                   fmt::format("robot '{}': its controller cannot be started", plan.robot_name));
    throw InputError(fmt::format("robot '{}': {}", plan.robot_name, error.what()));
  }
  link_.emplace(Stream(process_->take_link().release()), simulation_, robot_.index(), options);
  starting_ = !synchronous_;
  started_at_ = Clock::now();
}

void HostedController::welcome(Stream stream, SessionOptions options) {
  if (link_) {
    options.custom_data = link_->custom_data();
  }
  link_.emplace(std::move(stream), simulation_, robot_.index(), options);
  waiting_since_.reset();
  welcomed_ = Clock::now();
}

bool HostedController::is_supervisor() const { return robot_.spec().supervisor; }

bool HostedController::receive() {
  switch (link_->receive()) {
    case ControllerLink::Event::Nothing:
      return false;
    case ControllerLink::Event::Taken:
      break;
    case ControllerLink::Event::StepAsked:
      waiting_since_.reset();
      starting_ = false;
      asked_for_step_ = true;
      break;
    case ControllerLink::Event::Garbage:
      remove("sent " + link_->garbage());
      break;
  }
  if (is_extern()) {
    notice_departure();
  } else if (fallback_socket_ && !link_->open() && link_->garbage().empty() && !blameless_) {
    awaited_ = !started() && !ended();
  }
  return true;
}

// Who has only knocked is not the one that is awaited.
void HostedController::notice_departure() {
  if (link_->started()) {
    awaited_ = false;
  }
  if (!link_->open() && link_->garbage().empty() && !blameless_) {
    console_.log(LogLevel::Info, fmt::format("robot '{}': its controller has left", robot_name_));
  }
}

void HostedController::end() {
  ended();
  awaited_ = false;
  // One that left before is still to say, by its exit status, whether that was well.
  if (connected()) {
    blameless_ = true;
    link_->end();
  }
}

void HostedController::after_step() {
  if (!link_) {
    return;
  }
  link_->after_step();
}

bool HostedController::ended() {
  if (is_extern()) {
    return !connected();
  }
  const std::optional<int> status = process_->wait_status();
  if (status && !reported_) {
    reported_ = true;
    awaited_ = false;
    fallback_socket_.reset();
    report(*status);
  }
  return status.has_value();
}

bool HostedController::outcome_pending() {
  if (connected() || awaited_ || blameless_ || is_extern() || ended()) {
    return false;
  }
  const Clock::time_point now = Clock::now();
  closed_at_ = closed_at_.value_or(now);
  return now - *closed_at_ < kTimeToExit;
}

void HostedController::take_leave() {
  while (may_ask() && receive()) {
  }
  if (link_) {
    link_->close();
  }
}

void HostedController::stop(int signal_number) {
  blameless_ = true;
  if (process_) {
    stopped_ = true;
    process_->signal(signal_number);
  } else if (link_) {
    link_->close();
  }
}

// Somebody else may come in place of one who says nothing, or is gone.
void HostedController::watch_guest(Clock::time_point now) {
  if (!is_extern() || !connected()) {
    return;
  }
  if (!link_->started() && now - welcomed_ >= kPatienceWithGuests) {
    link_->close();
  } else if (!may_ask() && link_->hung_up()) {
    link_->close();
    notice_departure();
  }
}

// The last one who comes counts: a program may start others that only look around.
void HostedController::watch_fallback_socket() {
  if (!fallback_socket_) {
    return;
  }
  if (started() || blameless_ || ended()) {
    fallback_socket_.reset();
  } else if (Descriptor caller = fallback_socket_->accept()) {
    link_.emplace(Stream(caller.release()), simulation_, robot_.index(), options_);
    awaited_ = false;
  }
}

void HostedController::watch(Clock::time_point now, std::optional<Clock::duration> timeout) {
  watch_guest(now);
  watch_fallback_socket();
  starting_ = starting_ && now - started_at_ < kTimeToPrepare;
  if (starting_ || (!waited_for() && !awaited_)) {
    return;
  }
  if (!waiting_since_) {
    waiting_since_ = now;
    next_notice_ = now + kFirstNotice;
  }
  const Clock::duration waited = now - *waiting_since_;
  if (timeout && waited >= *timeout) {
    failed_ = failed_ || !blameless_;
    remove(fmt::format("did not {} within {:g} s", awaited_ ? "come" : "ask for a step",
                       seconds(*timeout)));
    awaited_ = false;
  } else if (awaited_ && !is_extern() && waited >= kTimeToComeBack) {
    awaited_ = false;
    console_.log(LogLevel::Warning,
                 fmt::format("robot '{}': its program has closed the link without a word, and "
                             "nobody came in its place; the robot stays without a controller",
                             robot_name_));
  } else if (now >= next_notice_) {
    next_notice_ += kNextNotice;
    console_.log(LogLevel::Warning,
                 fmt::format("robot '{}': its controller has not {} for {:.0f} s; the simulation "
                             "waits for it",
                             robot_name_, awaited_ ? "come" : "asked for a step", seconds(waited)));
  }
}

// Who comes from outside may be anybody: the run does not fail by what he sends.
void HostedController::remove(const std::string& why) {
  console_.log(LogLevel::Error,
               fmt::format("robot '{}': its controller {} and was removed", robot_name_, why));
  failed_ = failed_ || !(blameless_ || is_extern());
  if (link_) {
    link_->close();
  }
  if (process_) {
    stop(SIGKILL);
  }
}

void HostedController::report(int wait_status) {
  const bool killed = stopped_ && WIFSIGNALED(wait_status);
  const bool well = wait_status == 0 || (blameless_ && !killed);
  failed_ = failed_ || !well;
  console_.log(
      well ? LogLevel::Debug : LogLevel::Error,
      fmt::format("robot '{}': its controller {}", robot_name_, describe_wait_status(wait_status)));
}

}  // namespace servosim
