// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "net/stream.h"

namespace servosim::yarp {

/// Sends the disconnect command to a receiver by udp: on a connection by text to its port, as
/// datagrams have no end of their own.
class DisconnectSender {
 public:
  /// `done` is called once: when the receiver has closed that connection, or after `patience`. Not
  /// to be destroyed while it calls. @throws std::system_error
  DisconnectSender(net::Reactor& reactor, const net::Address& receiver, std::string_view from,
                   std::chrono::milliseconds patience, std::function<void()> done);

 private:
  void end();

  std::function<void()> done_;
  net::Timer timer_;
  std::unique_ptr<net::Stream> stream_;
};

}  // namespace servosim::yarp
