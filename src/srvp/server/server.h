// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/address.h"
#include "base/event_loop.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/mcu.h"

namespace servosim::srvp {

struct ServerOptions {
  net::Address listen{INADDR_LOOPBACK, kDefaultPort};
  std::string database;  ///< a file; "": MCUs are forgotten with the server
  /// A single answer to each SRVP query, when the MCU has answered: for stock clients before
  /// 2025-06-13.
  bool single_ack = false;
  /// Called when a client has shut the server down; without, none can.
  std::function<void()> shut_down;
  std::chrono::milliseconds mcu_patience{10'000};   ///< with the answer of an MCU
  std::chrono::milliseconds login_patience{5'000};  ///< with who connects and says nothing
  std::chrono::milliseconds frame_patience{2'000};  ///< with a pause in the middle of a query
  std::size_t max_guests = 256;                     ///< connections without login
  std::size_t max_connections = 1024;
  bool log_frames = true;  ///< each of them, and not events alone
};

/// A server of the SRVP platform: clients, MCUs of other processes, and MCUs of this one. Belongs
/// to the thread of its loop.
class Server {
 public:
  using Say = std::function<void(const std::string&)>;

  /// `say` is told what happens, in lines for people; without, that takes no time.
  /// @throws std::system_error, such as when the port is in use
  Server(net::EventLoop& loop, ServerOptions options, Say say);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const net::Address& address() const;
  /// Logs an MCU of this process in; it must outlive the server, or be removed.
  /// @throws std::invalid_argument with the reason, such as a name in use
  void add(const McuDescription& description, LocalMcu& mcu);
  /// Logs it out: what it was asked and has not answered ends in NACK 248.
  void remove(const std::string& name);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servosim::srvp
