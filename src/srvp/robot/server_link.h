// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/sockets.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/mcu.h"

namespace servosim::srvp::robot {

/// The connection of an MCU to an SRVP server in another process. It logs in, passes orders on and
/// sends the answers. If the connection fails, it connects again, at growing intervals. Only the
/// thread of its loop may call its functions.
///
/// Invariants: at most one order of the connection is being executed (`busy_`); answers to orders
/// of an earlier connection are dropped.
class ServerLink {
 public:
  static constexpr std::chrono::milliseconds kMinRetryDelay{100};
  static constexpr std::chrono::milliseconds kMaxRetryDelay{5000};
  /// The most bytes of orders that wait for the present one; a server that sends more is
  /// disconnected.
  static constexpr std::size_t kMaxWaiting = 1u << 16;

  using Positions = std::vector<std::uint8_t>;
  struct Calls {
    /// Called at a login to get the positions of the servos. The function that it gets may be
    /// called later and in any thread.
    std::function<void(std::function<void(Positions)>)> log_in;
    srvp::LocalMcu& orders;
    std::function<void(const std::string&)> report;
  };

  /// `self` has no positions.
  ServerLink(net::EventLoop& loop, const net::Address& server, srvp::McuDescription self,
             Calls calls);

 private:
  void connect();
  void log_in(Positions positions);
  void receive(Bytes bytes);
  void next_order();
  void answer(srvp::Control control);
  void send(const std::string& frame);
  void disconnect(const std::string& why);
  void report_once(const std::string& message);
  // Wraps a function for an answer that comes in another thread, or after the end of the
  // connection.
  template <typename Value>
  std::function<void(Value)> later(void (ServerLink::*function)(Value));

  net::EventLoop& loop_;
  net::Address server_;
  srvp::McuDescription self_;
  Calls calls_;
  std::shared_ptr<net::TcpStream> stream_;  // null between two connections
  std::uint64_t connection_ = 0;            // number of the present connection
  net::Clock::time_point connected_at_;
  srvp::FrameReader<srvp::McuOrder> frames_;
  bool is_accepted_ = false;  // the server has sent an order or an answer
  bool busy_ = false;         // an order of this connection is being executed
  net::Timer retry_timer_;
  std::chrono::milliseconds retry_delay_ = kMinRetryDelay;
  std::string reported_;  // text of the last report
};

}  // namespace servosim::srvp::robot
