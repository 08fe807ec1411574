// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/bytes.h"
#include "base/event_loop.h"

namespace servosim::net {

/// A TCP connection that never waits: what cannot be sent at once is kept, up to a bound.
///
/// While it calls, it must not be destroyed: EventLoop::bury() it.
class Stream {
 public:
  /// Most bytes kept for a peer that does not read.
  static constexpr std::size_t kMaxUnsent = 4u << 20;

  struct Calls {
    std::function<void()> connected;  ///< only of one that dials
    std::function<void(Bytes)> received;
    /// By the other side or an error, which is told; not after close().
    std::function<void(const std::string& why)> closed;
  };

  /// An accepted connection. @throws std::system_error
  Stream(EventLoop& loop, Descriptor socket, Calls calls);
  /// Dials. @throws std::system_error
  Stream(EventLoop& loop, const Address& remote, Calls calls);

  void set_calls(Calls calls) { calls_ = std::move(calls); }
  bool is_open() const { return watch_ != nullptr; }
  /// Once it cannot be kept any more, the connection is closed, and that is told.
  void send(Bytes bytes);
  std::size_t unsent() const { return unsent_.size() - sent_; }
  /// How long it may be silent before the other side is asked whether it is there, and how often.
  void set_keepalive(std::chrono::seconds idle, std::chrono::seconds interval) {
    net::set_keepalive(socket_, idle, interval);
  }
  /// Leaves what comes to the operating system, which slows the other side down.
  void set_reading(bool reading);
  /// Closes once everything is sent; what still comes is not read.
  void finish();
  void close();

 private:
  void on_events(std::uint32_t events);
  bool connect_result();
  void read_some();
  void flush();
  void fail(const std::string& why);
  void update_events();

  Descriptor socket_;
  Calls calls_;
  std::vector<std::byte> unsent_;
  std::size_t sent_ = 0;  // of unsent_
  bool connecting_ = false;
  bool reading_ = true;
  bool finishing_ = false;
  std::unique_ptr<Watch> watch_;  // before the socket
};

}  // namespace servosim::net
