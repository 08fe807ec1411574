// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/sockets.h"
#include "servosim/srvp/frames.h"
#include "srvp/server/mcu.h"

namespace servosim::srvp {

struct ServerOptions {
  net::Address listen{INADDR_LOOPBACK, kDefaultPort};
  std::string database;  ///< path of a file; empty means in memory
  /// Sends a single answer to each SRVP query, after that of the MCU, for clients of the platform
  /// before 2025-06-13.
  bool single_ack = false;
  /// Called when a client shuts the server down; if it is empty, clients cannot.
  std::function<void()> shut_down;
  std::chrono::milliseconds mcu_timeout{10'000};   ///< time limit for the answer of an MCU
  std::chrono::milliseconds login_timeout{5'000};  ///< time limit for a login
  /// Time limit for the rest of an incomplete query.
  std::chrono::milliseconds frame_timeout{2'000};
  std::size_t max_pending = 256;  ///< the most connections without a login
  std::size_t max_connections = 1024;
  bool log_frames = true;  ///< all frames, not only events
};

/// A server of the SRVP platform for clients, MCUs in other processes, and MCUs in this process.
/// Only the thread of its loop may call its functions.
class Server {
 public:
  using Report = std::function<void(const std::string&)>;

  /// `report` receives events and frames, in lines for people; without it nothing is formatted.
  /// @throws std::system_error, for example if the port is in use
  Server(net::EventLoop& loop, ServerOptions options, Report report);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const net::Address& address() const;
  /// Logs in an MCU of this process; it must outlive the server, or be removed.
  /// @throws std::invalid_argument with the reason, such as a name in use
  void add(const McuDescription& description, LocalMcu& mcu);
  /// Logs an MCU out. A pending order ends with NACK 248.
  void remove(const std::string& name);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servosim::srvp
