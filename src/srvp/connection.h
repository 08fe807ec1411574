// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/stream.h"

namespace servosim::srvp {

/// An accepted connection, whoever turns out to be at its other end.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// Who is at the other end.
  class Party {
   public:
    virtual ~Party() = default;
    virtual void heard(std::string_view bytes) = 0;
    /// At the end. "" why: as it should be.
    virtual void gone(const std::string& why) = 0;
  };
  /// Told at the end, last of all; nobody needs to keep it then.
  using Ended = std::function<void(Connection&)>;

  /// @throws std::system_error
  Connection(net::Reactor& reactor, Descriptor socket, const net::Address& peer, Ended ended);

  const std::string& peer() const { return peer_; }
  /// Who is told from now on. The one before stays until nothing is being called any more.
  void become(std::shared_ptr<Party> party);
  void send(std::string_view frame) { stream_.send(as_bytes(frame)); }
  void set_reading(bool reading) { stream_.set_reading(reading); }
  /// Whether the other side is still there is asked early.
  void watch_closely() { stream_.set_keepalive(std::chrono::seconds(1), std::chrono::seconds(1)); }
  /// Closes when all is sent.
  void finish() { stream_.finish(); }
  void end(const std::string& why);

 private:
  net::Reactor& reactor_;
  std::string peer_;
  Ended ended_;
  bool is_over_ = false;
  std::shared_ptr<Party> party_;
  net::Stream stream_;
};

}  // namespace servosim::srvp
