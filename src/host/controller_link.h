// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "controller/session.h"
#include "controller/stream.h"

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

}  // namespace servosim
