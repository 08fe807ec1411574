// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "controller_api/protocol/entry.h"
#include "controller_api/protocol/stream.h"
#include "controller_api/server/session.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/output_pump.h"
#include "run/process.h"

namespace servosim {

/// How connections of an extern controller are handled.
struct ExternManner {
  /// Descriptor for Webots' lines about connections and disconnections; -1 means none.
  int announce_to = -1;
  bool waits_again = false;  ///< after a disconnection the run waits for another controller
};

/// One controller of a run: its connection with the Session, and its process if the run has started
/// it. An extern controller is started outside of the run and has no process here; it may connect
/// late, disconnect, and connect again. Every message is answered, or else the connection closes.
///
/// Invariants:
/// * A hosted controller has a process, an extern one has none.
/// * There is at most one connection, the one that was made last; session() belongs to it and stays
///   when the connection closes.
/// * While a step is pending, nothing is read from the connection.
class Controller {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the program unless the controller is extern. @throws InputError if it cannot be
  /// started, Shortage
  Controller(const PlannedController& plan, Simulation& simulation, SessionOptions options,
             Console& console);
  Controller(Controller&&) = delete;
  Controller& operator=(Controller&&) = delete;

  bool is_extern() const { return !process_; }
  /// Returns the process of a controller that is not extern.
  ControllerProcess& process() { return *process_; }
  const std::string& robot_name() const { return robot_name_; }
  Robot& robot() const { return robot_; }
  bool is_supervisor() const;
  /// Returns the session of the last connection; null until an extern controller has connected.
  Session* session() { return connection_ ? &connection_->session : nullptr; }
  const Session* session() const { return connection_ ? &connection_->session : nullptr; }

  /// Sets what is reported about an extern controller's connections, and whether the run waits for
  /// it again.
  void set_manner(const ExternManner& manner) { manner_ = manner; }
  /// Sets its standard output and error. The line that it printed last is reported if a signal ends
  /// it.
  void watch_output(std::array<std::shared_ptr<LastLine>, 2> outputs) {
    outputs_ = std::move(outputs);
  }

  // ---- its present state
  bool connected() const { return connection_ && connection_->open; }
  /// The controller must be connected.
  int descriptor() const { return connection_->stream.fd(); }
  /// Returns whether the hello has arrived.
  bool started() const { return connection_ && connection_->session.started(); }
  /// Returns whether a connection is expected but not there yet: from an extern controller, or from
  /// a program that a hosted controller starts and that replaces its connection.
  bool awaits_connection() const { return awaits_connection_; }
  /// Returns whether it is extern and not there; perhaps it never comes.
  bool absent() const { return awaits_connection_ && is_extern(); }
  /// Returns whether it may send a request now. It does not while its step is pending.
  bool may_send() const { return connected() && !connection_->session.pending(); }
  /// Returns whether time may not advance before it has requested a step.
  bool blocks_step() const {
    return (synchronous_ || preparing_) && (awaits_connection_ || may_send());
  }
  /// Returns whether it computes before the next step, or will do so soon: a program that a hosted
  /// controller starts connects soon.
  bool is_computing() const {
    return synchronous_ && !absent() && (awaits_connection_ || may_send());
  }
  bool asked_for_step() const { return asked_for_step_; }
  /// Returns whether the simulation has taken a step that it had requested.
  bool stepped() const { return stepped_; }
  /// Returns the start time of the process of a controller that is not extern.
  Clock::time_point started_at() const { return started_at_; }

  // ---- how it ends
  /// Returns true if, before the end of the simulation, a signal ended it, it exited with a status
  /// other than 0, sent garbage or was removed; or if it had to be killed after the end.
  bool failed() const { return failed_; }
  /// Returns whether its process, or the connection of an extern controller, has ended; logs it the
  /// first time.
  bool ended();
  /// Returns whether its connection is closed and its process still runs.
  bool process_remains() { return process_ && !connected() && !ended(); }
  /// Returns whether its connection has closed and its process has not exited so far, so that its
  /// exit status may still show a failure. This is true for at most 0.1 s, since the process may
  /// also continue; for five seconds if its failure would end the run.
  bool exit_pending(bool may_end_run);

  // ---- messages
  /// Replaces the connection of an extern controller by that of a client that has connected.
  void accept(MessageStream stream, SessionOptions options);
  /// Takes one message, if there is one, and answers it if the answer is due at once. Returns false
  /// if there is none. Call it only while may_send().
  bool receive();
  /// Returns, after its end, a text such as `exited with status 1` or `was connected until the
  /// end`.
  const std::string& how_it_ended() const { return how_it_ended_; }
  /// Returns, after its end, a part that tells that the robot had no controller, if nobody has ever
  /// connected as its extern controller.
  std::optional<MissingPart> missing() const;
  /// Sends the answer that became due. Call it after each step.
  void after_step();
  /// Notifies it that the simulation is over. From now on no exit status is a failure.
  void end();
  /// Takes the requests that it still sent, after its process has ended. A process that it has left
  /// behind may keep the connection open.
  void drain();
  /// Ends it by a signal, or an extern one by closing the connection. If it exits after the signal,
  /// it has not failed, whatever its status; if the signal kills it, it has.
  void stop(int signal_number);
  /// Handles a controller that blocks the step. Warns after 3 s, before the first step after 15 s,
  /// and then each minute. Continues without a controller that has not connected within
  /// `to_connect`, and removes a controller after `timeout`.
  void watch(Clock::time_point now, std::optional<Clock::duration> timeout,
             std::optional<Clock::duration> to_connect = std::nullopt);

 private:
  struct Connection {
    Connection(MessageStream its, Simulation& simulation, int robot, const SessionOptions& options)
        : stream(std::move(its)), session(simulation, robot, options) {}

    MessageStream stream;
    Session session;
    bool open = true;
    bool refused = false;  // it has sent Garbage
    bool asked_for_step = false;
  };

  void handle_message();
  void send(Bytes message);
  void close();
  void refuse(const std::string& what);
  void remove(const std::string& why);
  bool other_side_closed() const;
  void report_disconnection();
  void announce(const char* what) const;
  void watch_extern_client(Clock::time_point now);
  void watch_fallback_socket();
  void watch_progress(Clock::time_point now, std::optional<Clock::duration> timeout,
                      std::optional<Clock::duration> to_connect);
  bool precedes_first_step() const;
  const char* what_is_awaited() const;
  std::string hint_for_wait() const;
  void report_exit(int wait_status);
  std::string last_line() const;
  std::string describe_crash(int wait_status) const;
  bool has_said_anything() const;

  std::string robot_name_;
  std::string folder_;  // where the program of a hosted controller is started
  Robot& robot_;
  bool synchronous_;
  bool preparing_ = false;  // not synchronous, and before its first step
  Simulation& simulation_;
  SessionOptions options_;
  Console& console_;
  std::optional<ControllerProcess> process_;
  std::optional<Connection> connection_;
  std::optional<FallbackSocket> fallback_socket_;  // exists until the hello
  ExternManner manner_;
  bool awaits_connection_ = false;
  bool ignores_exit_status_ = false;
  bool failed_ = false;
  bool asked_for_step_ = false;
  bool stepped_ = false;
  bool signalled_ = false;  // stop() has sent a signal
  bool exit_reported_ = false;
  bool ever_started_ = false;  // a hello has arrived on any connection
  std::string how_it_ended_;
  std::array<std::shared_ptr<LastLine>, 2> outputs_;
  Clock::time_point accepted_at_;
  Clock::time_point started_at_;
  std::optional<Clock::time_point> waiting_since_;
  std::optional<Clock::time_point> closed_at_;
  double closed_time_ = 0.0;  // simulated time of the last close
  Clock::time_point next_warning_;
};

}  // namespace servosim
