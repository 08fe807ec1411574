// SPDX-License-Identifier: Apache-2.0
#include "run/run_controller.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "base/assert.h"
#include "base/child_process.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "scene/scene.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;

// A controller reads its answers at once, unless it is stopped or hostile.
constexpr int kSendTimeoutMs = 2000;
constexpr auto kFirstWarning = 3s;
// A controller may import large modules before its first step.
constexpr auto kFirstWarningOfStart = 15s;
constexpr auto kNextWarning = 60s;
constexpr auto kMaxTimeToHello = 5s;  // the limit for an extern client
constexpr auto kMaxPreparation = 2s;  // the limit for a controller that later steps do not wait for
// Time for a program that a hosted controller starts to connect in its place.
constexpr auto kMaxReconnection = 60s;
constexpr auto kMaxTimeToExit = 5s;  // the limit for a program whose connection has closed
constexpr auto kUsualTimeToExit = 100ms;

double seconds(RunController::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

RunController::RunController(const PlannedController& plan, Simulation& simulation,
                             SessionOptions options, Console& console, const ExternManner& manner)
    : robot_name_(plan.robot_name),
      robot_(simulation.robot(plan.robot)),
      synchronous_(plan.synchronous),
      simulation_(simulation),
      options_(options),
      console_(console),
      manner_(manner),
      awaits_connection_(plan.is_extern) {
  if (!plan.is_extern) {
    program_.emplace(plan);
    connection_.emplace(MessageStream(program_->process().take_link().release()), simulation_,
                        robot_.index(), options);
    preparing_ = !synchronous_;
  }
}

bool RunController::is_supervisor() const { return robot_.spec().supervisor; }

void RunController::accept(MessageStream stream, SessionOptions options) {
  SERVOSIM_ASSERT(is_extern(), "robot '{}' has a process as its controller", robot_name_);
  if (connection_) {
    options.custom_data = connection_->session.custom_data();
  }
  connection_.emplace(std::move(stream), simulation_, robot_.index(), options);
  waiting_since_.reset();
  accepted_at_ = Clock::now();
}

bool RunController::receive() {
  SERVOSIM_ASSERT(may_send(), "a request of the controller of robot '{}' out of turn", robot_name_);
  switch (connection_->stream.try_receive()) {
    case MessageStream::Status::Nothing:
      return false;
    case MessageStream::Status::Closed:
      close();
      break;
    case MessageStream::Status::Garbage:
      refuse("a message of impossible length");
      break;
    case MessageStream::Status::Message:
      handle_message();
      break;
  }
  if (is_extern()) {
    report_disconnection();
  } else if (program_->may_be_replaced() && !connection_->open && !connection_->refused &&
             !ignores_exit_status_) {
    awaits_connection_ = !started() && !ended();
  }
  return true;
}

void RunController::handle_message() {
  Session& session = connection_->session;
  const bool was_started = session.started();
  const Session::Outcome outcome = session.receive(connection_->stream.message());
  ever_started_ = ever_started_ || session.started();
  if (is_extern() && session.started() && !was_started) {
    announce("connected.");
  }
  switch (outcome) {
    case Session::Outcome::Answered:
    case Session::Outcome::Quit:
      return send(session.reply());
    case Session::Outcome::Pending:
      waiting_since_.reset();
      preparing_ = false;
      asked_for_step_ = connection_->asked_for_step = true;
      return;
    case Session::Outcome::Bye:
      return close();
    case Session::Outcome::Garbage:
      return refuse("garbage (" + session.error() + ")");
  }
}

void RunController::send(Bytes message) {
  const bool sent =
      connection_->stream.send(message, kSendTimeoutMs, connection_->session.take_descriptors());
  if (!sent && (errno == ENOBUFS || errno == ENOMEM)) {
    throw Shortage(errno, "a controller cannot be answered");
  }
  if (!sent) {
    close();  // the exit status tells more
  }
}

// The client notices that the connection closes. The last changes of a supervisor are applied.
void RunController::close() {
  if (connection_ && std::exchange(connection_->open, false)) {
    closed_time_ = simulation_.time();
    ::shutdown(connection_->stream.fd(), SHUT_RDWR);
    connection_->session.settle();
  }
}

void RunController::refuse(const std::string& what) {
  connection_->refused = true;
  close();
  remove("sent " + what);
}

// The removal of an extern client does not make the run fail.
void RunController::remove(const std::string& why) {
  console_.log(LogLevel::Error,
               fmt::format("robot '{}': its controller {} and was removed", robot_name_, why));
  failed_ = failed_ || !(ignores_exit_status_ || is_extern());
  how_it_ended_ = why + " and was removed";
  close();
  if (program_) {
    stop(SIGKILL);
  }
}

void RunController::stop(int signal_number) {
  ignores_exit_status_ = true;
  if (program_) {
    signalled_ = true;
    program_->process().signal(signal_number);
  } else {
    close();
  }
}

// A client counts as the controller only after its Hello.
void RunController::report_disconnection() {
  if (connection_->session.started() && std::exchange(awaits_connection_, false)) {
    waiting_since_.reset();  // from now on the run waits for its first step
  }
  if (!connection_->open && !connection_->refused && !ignores_exit_status_) {
    how_it_ended_ = "disconnected";
    console_.log(LogLevel::Info,
                 fmt::format("robot '{}': its controller has disconnected", robot_name_));
    if (connection_->session.started()) {
      announce("disconnected, waiting for new connection.");
    }
    if (manner_.waits_again) {
      awaits_connection_ = true;
      waiting_since_.reset();
    }
  }
}

// The line has Webots' words, since scripts wait for them.
void RunController::announce(const char* what) const {
  if (manner_.announce_to >= 0) {
    console_.write(
        manner_.announce_to,
        printable_lines(fmt::format("INFO: '{}' extern controller: {}\n", robot_name_, what)));
  }
}

void RunController::after_step() {
  stepped_ = stepped_ || (connection_ && connection_->session.pending());
  if (connection_ && connection_->session.after_step() && connection_->open) {
    send(connection_->session.reply());
  }
}

void RunController::end() {
  ended();
  awaits_connection_ = false;
  // If a controller has disconnected earlier, its exit status still decides whether it failed.
  if (!connected()) {
    return;
  }
  how_it_ended_ = "ran until the end";
  ignores_exit_status_ = true;
  Session& session = connection_->session;
  session.settle();
  if (const Bytes answer = session.ending_answer(); !answer.empty()) {
    send(answer);
  }
}

bool RunController::ended() {
  if (is_extern()) {
    return !connected();
  }
  const std::optional<int> status = program_->process().wait_status();
  if (status && !exit_reported_) {
    exit_reported_ = true;
    awaits_connection_ = false;
    program_->refuse_replacement();
    report_exit(*status);
  }
  return status.has_value();
}

void RunController::report_exit(int wait_status) {
  const bool killed = signalled_ && WIFSIGNALED(wait_status);
  const bool well = wait_status == 0 || (ignores_exit_status_ && !killed);
  failed_ = failed_ || !well;
  const std::string how =
      describe_wait_status(wait_status) + (well || killed ? "" : program_->describe_failure());
  if (how_it_ended_.empty() || !well) {
    how_it_ended_ = how;
  }
  std::string crash;
  if (!killed && WIFSIGNALED(wait_status)) {
    crash = fmt::format(" at {:.6g} s{}", connected() ? simulation_.time() : closed_time_,
                        program_->describe_crash(wait_status));
  }
  console_.log(well ? LogLevel::Debug : LogLevel::Error,
               fmt::format("robot '{}': its controller {}{}", robot_name_, how, crash));
  // The first message of the controller may have arrived without having been read.
  const bool has_said_anything = ever_started_ || (connected() && connection_->has_input());
  if (wait_status == 0 && !ignores_exit_status_ && !has_said_anything) {
    console_.log(LogLevel::Warning,
                 fmt::format("robot '{}': its program in '{}' has ended without ever calling "
                             "wb_robot_init() or Robot(); the robot stays passive",
                             robot_name_, program_->folder()));
  }
}

ControllerEnd RunController::end_so_far() const {
  ControllerEnd end{robot_name_, how_it_ended_, failed_, std::nullopt};
  if (is_extern() && !ever_started_) {
    end.missing =
        MissingPart{Missing::Extern, fmt::format("extern controller of robot '{}'", robot_name_),
                    "nobody has connected; start it with `servosim controller`"};
  }
  return end;
}

bool RunController::exit_pending(bool may_end_run) {
  if (connected() || awaits_connection_ || ignores_exit_status_ || is_extern() || exit_reported_) {
    return false;
  }
  const Clock::time_point now = Clock::now();
  closed_at_ = closed_at_.value_or(now);
  const Clock::duration limit = may_end_run ? kMaxTimeToExit : kUsualTimeToExit;
  return now - *closed_at_ < limit && !ended();
}

void RunController::drain() {
  while (may_send() && receive()) {
  }
  close();
}

void RunController::watch(Clock::time_point now, std::optional<Clock::duration> timeout,
                          std::optional<Clock::duration> to_connect) {
  watch_extern_client(now);
  watch_for_replacement();
  preparing_ = preparing_ && now - program_->started_at() < kMaxPreparation;
  if (!preparing_ && (blocks_step() || awaits_connection_)) {
    watch_progress(now, timeout, to_connect);
  }
}

// Closes the connection of a client that sends no Hello, or that has ended. Then another client may
// connect.
void RunController::watch_extern_client(Clock::time_point now) {
  if (!is_extern() || !connected()) {
    return;
  }
  if (!started() && now - accepted_at_ >= kMaxTimeToHello) {
    close();
  } else if (!may_send() && connection_->other_side_closed()) {
    close();
    report_disconnection();
  }
}

bool RunController::Connection::has_input() const {
  std::byte any{};
  return ::recv(stream.fd(), &any, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

// While a step is pending, nothing else reads from the connection.
bool RunController::Connection::other_side_closed() const {
  std::byte any{};
  const ssize_t got = ::recv(stream.fd(), &any, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

// The last client that connects is the controller, since a program may start others that only look
// around.
void RunController::watch_for_replacement() {
  if (!program_ || !program_->may_be_replaced()) {
    return;
  }
  if (started() || ignores_exit_status_ || ended()) {
    program_->refuse_replacement();
  } else if (Descriptor client = program_->accept_replacement()) {
    connection_.emplace(MessageStream(client.release()), simulation_, robot_.index(), options_);
    awaits_connection_ = false;
  }
}

void RunController::watch_progress(Clock::time_point now, std::optional<Clock::duration> timeout,
                                   std::optional<Clock::duration> to_connect) {
  if (!waiting_since_) {
    waiting_since_ = now;
    next_warning_ = now + (precedes_first_step() ? kFirstWarningOfStart : kFirstWarning);
  }
  const Clock::duration waited = now - *waiting_since_;
  if (to_connect && awaits_connection_ && waited >= *to_connect) {
    awaits_connection_ = false;
    console_.log(LogLevel::Warning,
                 fmt::format("robot '{}': nobody has connected as its controller within {:g} s; "
                             "the run goes on without it",
                             robot_name_, seconds(*to_connect)));
  } else if (timeout && waited >= *timeout) {
    failed_ = failed_ || !ignores_exit_status_;
    remove(fmt::format("did not {} within {:g} s",
                       awaits_connection_ ? "connect" : "ask for a step", seconds(*timeout)));
    awaits_connection_ = false;
  } else if (awaits_connection_ && !is_extern() && waited >= kMaxReconnection) {
    awaits_connection_ = false;
    console_.log(LogLevel::Warning,
                 fmt::format("robot '{}': its program has closed the connection without a hello, "
                             "and no other has connected in its place; the robot stays without a "
                             "controller",
                             robot_name_));
  } else if (now >= next_warning_) {
    next_warning_ += kNextWarning;
    console_.log(LogLevel::Warning, describe_wait(waited));
  }
}

bool RunController::precedes_first_step() const {
  return connection_ && !connection_->asked_for_step && !(is_extern() && awaits_connection_);
}

// Returns what the run waits for, and how to find out what the controller is doing.
std::string RunController::describe_wait(Clock::duration waited) const {
  const char* const awaited = awaits_connection_       ? "connected"
                              : !precedes_first_step() ? "asked for a step"
                              : started()              ? "asked for its first step"
                                                       : "called wb_robot_init() or Robot()";
  std::string text =
      fmt::format("robot '{}': its controller has not {} for {:.0f} s; the simulation waits for it",
                  robot_name_, awaited, seconds(waited));
  if (program_) {
    text +=
        fmt::format("; {}`gdb -p {}` shows where it is",
                    precedes_first_step() ? "it may still load modules or read files, else " : "",
                    program_->process().pid());
  }
  return text;
}

}  // namespace servosim
