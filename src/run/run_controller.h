// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "controller_api/protocol/extern_entry.h"
#include "controller_api/protocol/stream.h"
#include "controller_api/server/session.h"
#include "run/console.h"
#include "run/hosted_program.h"
#include "run/launch_plan.h"

namespace servosim {

/// How connections of an extern controller are handled.
struct ExternManner {
  /// Descriptor for Webots' lines about connections and disconnections; -1 means none.
  int announce_to = -1;
  bool waits_again = false;  ///< after a disconnection the run waits for another controller
};

/// How a controller has ended, as far as it is known.
struct ControllerEnd {
  std::string robot;
  std::string how;  ///< such as `exited with status 1` or `was connected until the end`
  bool failed = false;
  /// Tells that the robot had no controller, if nobody has ever connected as its extern controller.
  std::optional<MissingPart> missing;
};

/// One controller of a run: its connection with the Session, and its program if the run has started
/// it. An extern controller is started outside of the run and has no program here; it may connect
/// late, disconnect, and connect again. Every message is answered, or else the connection closes.
///
/// Invariants:
/// * A hosted controller has a program, an extern one has none.
/// * There is at most one connection, the one that was made last; session() belongs to it and stays
///   when the connection closes.
/// * While a step is pending, nothing is read from the connection.
class RunController {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the program unless the controller is extern.
  /// @param manner  what is reported about an extern controller's connections, and whether the run
  ///   waits for it again
  /// @throws InputError if it cannot be started, Shortage
  RunController(const PlannedController& plan, Simulation& simulation, SessionOptions options,
                Console& console, const ExternManner& manner = {});
  RunController(RunController&&) = delete;
  RunController& operator=(RunController&&) = delete;

  bool is_extern() const { return !program_; }
  /// Returns the program of a controller; null if it is extern.
  HostedProgram* program() { return program_ ? &*program_ : nullptr; }
  const std::string& robot_name() const { return robot_name_; }
  Robot& robot() const { return robot_; }
  bool is_supervisor() const;
  /// Returns the session of the last connection; null until an extern controller has connected.
  Session* session() { return connection_ ? &connection_->session : nullptr; }
  const Session* session() const { return connection_ ? &connection_->session : nullptr; }

  // ---- its present state
  bool connected() const { return connection_ && connection_->open; }
  /// The controller must be connected.
  int descriptor() const { return connection_->stream.fd(); }
  /// Returns whether a connection is expected but not there yet: from an extern controller, or from
  /// a program that a hosted controller starts and that replaces its connection.
  bool awaits_connection() const { return awaits_connection_; }
  /// Returns whether it may send a request now. It does not while its step is pending.
  bool may_send() const { return connected() && !connection_->session.pending(); }
  /// Returns whether time may not advance before it has requested a step.
  bool blocks_step() const {
    return (synchronous_ || preparing_) && (awaits_connection_ || may_send());
  }
  /// Returns whether it computes before the next step, or will do so soon: a program that a hosted
  /// controller starts connects soon.
  bool is_computing() const {
    return synchronous_ && (awaits_connection_ ? !is_extern() : may_send());
  }
  bool asked_for_step() const { return asked_for_step_; }
  /// Returns whether the simulation has taken a step that it had requested.
  bool stepped() const { return stepped_; }

  // ---- how it ends
  /// Returns true if, before the end of the simulation, a signal ended it, it exited with a status
  /// other than 0, sent garbage or was removed; or if it had to be killed after the end.
  bool failed() const { return failed_; }
  ControllerEnd end_so_far() const;
  /// Returns whether its process, or the connection of an extern controller, has ended; logs it the
  /// first time.
  bool ended();
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
    Connection(MessageStream its, Simulation& simulation, int robot, SessionOptions options)
        : stream(std::move(its)), session(simulation, robot, with_memory(std::move(options))) {}
    SessionOptions with_memory(SessionOptions options) const {
      options.shares_memory = stream.is_local();
      return options;
    }

    /// Returns whether a message has arrived that has not been read.
    bool has_input() const;
    bool other_side_closed() const;

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
  void report_disconnection();
  void announce(const char* what) const;
  void watch_extern_client(Clock::time_point now);
  void watch_for_replacement();
  void watch_progress(Clock::time_point now, std::optional<Clock::duration> timeout,
                      std::optional<Clock::duration> to_connect);
  bool precedes_first_step() const;
  bool started() const { return connection_ && connection_->session.started(); }
  std::string describe_wait(Clock::duration waited) const;
  void report_exit(int wait_status);

  std::string robot_name_;
  Robot& robot_;
  bool synchronous_;
  bool preparing_ = false;  // not synchronous, and before its first step
  Simulation& simulation_;
  SessionOptions options_;
  Console& console_;
  std::optional<HostedProgram> program_;
  std::optional<Connection> connection_;
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
  Clock::time_point accepted_at_;
  std::optional<Clock::time_point> waiting_since_;
  std::optional<Clock::time_point> closed_at_;
  double closed_time_ = 0.0;  // simulated time of the last close
  Clock::time_point next_warning_;
};

}  // namespace servosim
