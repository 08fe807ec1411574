// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/event_loop.h"
#include "bus/setup/bus_place.h"

namespace servosim::bus {

/// What a client opens to reach a bus: a pseudo terminal, or a TCP port on loopback.
///
/// Threads: that of its event loop.
class BusPort {
 public:
  struct Calls {
    std::function<void(std::span<const std::uint8_t>)> received;
    /// The client has discarded what it has not read. Bytes that were meant for it must not follow.
    /// It may be empty.
    std::function<void()> flushed;
  };

  BusPort() = default;
  BusPort(const BusPort&) = delete;
  BusPort& operator=(const BusPort&) = delete;
  virtual ~BusPort() = default;

  /// Sends bytes at once. What the client's buffer has no room for is lost, as on a line.
  virtual void send(std::span<const std::uint8_t> bytes) = 0;
  /// Whether it takes what the client sends, as it does at first. Otherwise that waits in the
  /// system, and a client that sends more waits, too.
  virtual void set_reading(bool reading) = 0;
  /// Returns the speed that the client has set [bit/s]; 0: there is none, as on TCP.
  virtual double baud() const = 0;
  /// Returns what a client opens: the path of a link, or tcp:PORT.
  virtual const std::string& address() const = 0;
};

/// Opens the port at a place. @throws as open_terminal() and open_tcp()
std::unique_ptr<BusPort> open_port(net::EventLoop& loop, const BusPlace& place,
                                   BusPort::Calls calls);

/// Opens a pseudo terminal and makes a symbolic link to it, which ends with it. Clients may open
/// and close it as often as they like.
/// @param link  a path. Only a link to a terminal that is no longer there is replaced
/// @throws std::runtime_error if there is something else, std::system_error if the system refuses
std::unique_ptr<BusPort> open_terminal(net::EventLoop& loop, const std::string& link,
                                       BusPort::Calls calls);
/// Listens on loopback. One client at a time has the bus: a new one ends the connection of the one
/// before.
/// @param port  0: any free one
/// @throws std::system_error if the port is taken
std::unique_ptr<BusPort> open_tcp(net::EventLoop& loop, std::uint16_t port, BusPort::Calls calls);

}  // namespace servosim::bus
