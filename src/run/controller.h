// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "controller/protocol/entry.h"
#include "controller/protocol/stream.h"
#include "controller/server/session.h"
#include "run/console.h"
#include "run/controller_process.h"
#include "run/launch_plan.h"

namespace servosim {

/// The simulator's end of the link to one controller: whatever bytes come, it answers or closes.
class ControllerLink {
 public:
  enum class Event {
    Nothing,    ///< no whole message is there
    Taken,      ///< answered, or the other side has left: see open()
    StepAsked,  ///< the answer is due in after_step()
    Garbage     ///< garbage() says why; nothing more of it is to be taken
  };

  /// Over a connected stream socket. `simulation` must outlive it.
  ControllerLink(Stream stream, Simulation& simulation, int robot, SessionOptions options)
      : stream_(std::move(stream)), session_(simulation, robot, options) {}

  int descriptor() const { return stream_.fd(); }
  bool open() const { return open_; }
  /// The other side has said hello.
  bool started() const { return session_.started(); }
  /// Nothing comes or goes any more; the other side sees it. What a supervisor changed last acts.
  void close();
  /// While an answer is due, nobody reads what comes: whether the other side is gone.
  bool hung_up() const;
  /// A request may come now; none does while an answer is due.
  bool may_ask() const { return open_ && !session_.pending(); }
  std::optional<int> quit_status() const { return session_.quit_status(); }
  const std::string& garbage() const { return garbage_; }
  const std::string& custom_data() const { return session_.custom_data(); }
  /// See Session.
  std::optional<SupervisorOrders> take_orders() { return session_.take_orders(); }
  bool wants_more() const { return session_.wants_more(); }
  void after_reset() { session_.after_reset(); }

  /// Takes one message, if there is one, and answers it if that is due at once. Only while
  /// may_ask().
  Event receive();
  /// To be called before each step: see Session::settle().
  void settle() { session_.settle(); }
  /// To be called after each step: sends the answer that became due.
  void after_step();
  /// Tells the other side that the simulation is over.
  void end();

 private:
  void send(Bytes message);
  Event refuse(std::string why);

  Stream stream_;
  Session session_;
  bool open_ = true;
  std::string garbage_;
};

/// One controller of a run: its link, and its process if it is ours. An extern one, which somebody
/// else starts, has no process of ours; it may come late, leave, and come back.
class HostedController {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the program, if it is not extern. @throws InputError if it cannot be started, Shortage.
  HostedController(const PlannedController& plan, Simulation& simulation, SessionOptions options,
                   Console& console);
  HostedController(HostedController&&) = delete;
  HostedController& operator=(HostedController&&) = delete;

  /// Of one that is not extern.
  ControllerProcess& process() { return *process_; }
  bool is_extern() const { return !process_; }
  const std::string& robot_name() const { return robot_name_; }
  int descriptor() const { return link_->descriptor(); }

  /// Its link is open.
  bool connected() const { return link_ && link_->open(); }
  /// It has said goodbye, or hung up, but its process goes on.
  bool lingers() { return process_ && !connected() && !ended(); }
  /// Nobody has come yet who could be: an extern one, or a program that the one we have started,
  /// and that has closed the link, may start.
  bool awaited() const { return awaited_; }
  /// It may send a request now; it does not while it waits for an answer.
  bool may_ask() const { return link_ && link_->may_ask(); }
  /// Time may not advance before it has asked for a step.
  bool waited_for() const { return (synchronous_ || starting_) && (awaited_ || may_ask()); }
  /// It computes what is to happen before the next step, or is about to: what a program of ours
  /// starts in its place is on its way, an extern one may never come.
  bool is_working() const { return synchronous_ && (awaited_ ? !is_extern() : may_ask()); }
  bool is_supervisor() const;
  /// It has said hello.
  bool started() const { return link_ && link_->started(); }
  /// Before the end it was ended by a signal, exited with a status other than 0, sent garbage or
  /// was removed; or it had to be killed after the end.
  bool failed() const { return failed_; }
  bool asked_for_step() const { return asked_for_step_; }
  /// Its link has closed without an exit status so far: its process may be about to fail. True for
  /// five seconds at most, since it may also just go on.
  bool outcome_pending();
  /// Whom it controls.
  Robot& robot() const { return robot_; }
  std::optional<SupervisorOrders> take_orders() {
    return link_ ? link_->take_orders() : std::nullopt;
  }
  /// It asked, perhaps before it left, for another world or controller.
  bool wants_more() const { return link_ && link_->wants_more(); }
  /// The simulation was set back to its start: see Session::after_reset().
  void after_reset() {
    if (link_) {
      link_->after_reset();
    }
  }
  std::optional<int> quit_status() const { return link_ ? link_->quit_status() : std::nullopt; }

  /// Of an extern one without a link: somebody has come, over `stream`.
  void welcome(Stream stream, SessionOptions options);

  /// Takes one message, if there is one, and answers it if that is due at once. False: none.
  bool receive();
  /// To be called before each step: what its supervisor has changed acts.
  void settle() {
    if (link_) {
      link_->settle();
    }
  }
  /// To be called after each step: sends the answer that became due. When the robot's battery is
  /// empty, the simulation is over for its controller.
  void after_step();
  /// Tells it that the simulation is over; how it ends from now on is not a failure.
  void end();
  /// Whether its process, or an extern one's link, has ended; says so of a process the first time.
  bool ended();
  /// After its process ended: takes what it still said. Something it left behind may hold the link.
  void take_leave();
  /// Ends it by a signal, an extern one by closing the link. One that takes the signal and exits is
  /// no failure, whatever its status; one that the signal kills is.
  void stop(int signal_number);
  /// While it is waited for: names it after 10 s and each minute, removes it after `timeout`.
  void watch(Clock::time_point now, std::optional<Clock::duration> timeout);

 private:
  void remove(const std::string& why);
  void notice_departure();
  void watch_guest(Clock::time_point now);
  void watch_fallback_socket();
  void report(int wait_status);

  std::string robot_name_;
  Robot& robot_;
  bool synchronous_;
  bool starting_ = false;  // not synchronous, and not yet at its first step
  Simulation& simulation_;
  SessionOptions options_;
  Console& console_;
  std::optional<ControllerProcess> process_;
  std::optional<ControllerLink> link_;
  std::optional<FallbackSocket> fallback_socket_;  // until somebody has said hello
  bool awaited_ = false;
  bool blameless_ = false;  // its exit status does not count
  bool failed_ = false;
  bool asked_for_step_ = false;
  bool stopped_ = false;  // by a signal of ours
  bool reported_ = false;
  Clock::time_point welcomed_;
  Clock::time_point started_at_;
  std::optional<Clock::time_point> waiting_since_;
  std::optional<Clock::time_point> closed_at_;
  Clock::time_point next_notice_;
};

}  // namespace servosim
