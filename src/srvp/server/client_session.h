// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "srvp/server/connection.h"
#include "srvp/server/mcu_registry.h"

namespace servosim::srvp {

/// The server's end of a client's connection. Several queries may arrive at once. Each is handled
/// after the last answer to the previous one, since answers do not name their query.
///
/// Invariant: while `waiting_`, the last answer to exactly one query is pending.
class ClientSession : public PeerConnection::Handler,
                      public std::enable_shared_from_this<ClientSession> {
 public:
  /// What all sessions share.
  struct ServerContext {
    net::EventLoop& loop;
    McuRegistry& registry;
    const Log& log;
    bool single_ack;
    std::chrono::milliseconds frame_timeout;
    std::function<void()> shut_down;  ///< empty if clients cannot shut the server down
  };

  ClientSession(PeerConnection& connection, const ServerContext& context);

  const std::string& title() const { return title_; }
  void received(std::string_view bytes) override;
  void closed(const std::string& why) override;

 private:
  void answer_queries();
  void answer(const Movement& movement);
  void answer(const SelectMcu& select);
  void answer(const AskInfo&);
  void answer(const SetMode& mode);
  void answer(const ExecuteAll&);
  void answer(const Upload& upload);
  void answer(const ShutDown&);
  void refuse(const BadFrame& bad);
  void refuse(Nack why, std::string_view text);
  void send(const Answer& answer, std::string_view note = {});
  /// Returns a function that sends the last answer to the present query. The next query waits for
  /// its call.
  Mcu::Done answer_callback();
  /// Returns the selected MCU; null if there is none, or if another client has selected it since.
  Mcu* active() const;
  bool is_delayed() const { return delayed_ || put_in_delayed_; }
  void watch_for_timeout();

  PeerConnection& connection_;
  const ServerContext& context_;
  std::string title_;
  FrameReader<Query> reader_;
  net::Timer frame_timer_;
  std::shared_ptr<Mcu> mcu_;
  bool delayed_ = false;         // set by SetMode
  bool put_in_delayed_ = false;  // the selected MCU had stored moves
  bool closed_ = false;
  bool waiting_ = false;    // for the last answer to a query
  bool answering_ = false;  // in answer_queries()
};

}  // namespace servosim::srvp
