// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/socket_stream.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/mcu.h"

namespace servosim::srvp::robot {

/// The MCU of an SRVP server somewhere else: logs in, hands its orders on and sends the answers.
/// Where there is no server, or none any more, it tries again and again, less and less often.
/// Belongs to the thread of its loop.
class ServerLink {
 public:
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::milliseconds kLongestPause{5000};
  /// Bytes of orders that wait for the one that is performed; a server that sends more is left.
  static constexpr std::size_t kMaxWaiting = 1u << 16;

  using Positions = std::vector<std::uint8_t>;
  struct Calls {
    /// Says that it logs in, and asks where the servos are; the answer may come later, and in any
    /// thread.
    std::function<void(std::function<void(Positions)>)> log_in;
    srvp::LocalMcu& orders;
    std::function<void(const std::string&)> say;
  };

  /// `self` without positions.
  ServerLink(net::EventLoop& loop, const net::Address& server, srvp::McuDescription self,
             Calls calls);

 private:
  void dial();
  void log_in(Positions positions);
  void receive(Bytes bytes);
  void next_order();
  void answer(srvp::Control control);
  void send(const std::string& frame);
  void lose(const std::string& why);
  void say_once(const std::string& message);
  // For an answer that may come in another thread, or when the connection is another.
  template <typename Value>
  std::function<void(Value)> later(void (ServerLink::*function)(Value));

  net::EventLoop& loop_;
  net::Address server_;
  srvp::McuDescription self_;
  Calls calls_;
  std::shared_ptr<net::Stream> stream_;  // null in a pause
  std::uint64_t connection_ = 0;         // counts them
  net::Clock::time_point connected_at_;
  srvp::FrameReader<srvp::McuOrder> frames_;
  bool is_accepted_ = false;  // by this connection's server
  bool busy_ = false;         // with an order of this connection
  net::Timer again_;
  std::chrono::milliseconds pause_ = kFirstPause;
  std::string said_;  // last
};

}  // namespace servosim::srvp::robot
