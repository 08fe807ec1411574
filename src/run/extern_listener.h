// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "controller_api/protocol/extern_entry.h"
#include "controller_api/protocol/stream.h"
#include "run/console.h"
#include "run/instance_folder.h"

struct pollfd;

namespace servosim {

struct ExternOptions {
  std::optional<int> port;  ///< 1 ... 65535; by default the first free one from 1234 on
  /// Address of this machine at which to listen by TCP, too; empty means not by TCP.
  std::string tcp_address;
  bool print_urls = false;  ///< on standard output, together with connections and disconnections
  /// Behaves as Webots: it listens even without extern robots, `port` is the first of eleven to
  /// try, and a robot whose controller has disconnected waits for another one.
  bool as_webots = false;
};

struct ExternRobot {
  std::string name;
  bool taken = false;  ///< a controller is connected
};

/// A client that is accepted as the controller of a robot.
struct ExternClient {
  std::size_t robot;  ///< index in the list of robots
  MessageStream stream;
  bool remote;  ///< the client may be on another machine
};

/// The listener for extern controllers. It accepts a client that names a robot without a
/// controller, and refuses all others. It never blocks.
///
/// Invariants:
/// * At most kMaxPending clients have connected without having sent their request; beyond that, one
///   of the oldest is closed.
/// * A robot that is taken gets no client.
class ExternListener {
 public:
  using Clock = std::chrono::steady_clock;

  /// @throws std::runtime_error if the port or address is not available
  ExternListener(const ExternOptions& options, Console& console);

  /// Returns the folder of this simulation's files, with a slash at its end.
  const std::string& folder() const { return folder_->path(); }
  /// Returns the values of WEBOTS_CONTROLLER_URL for a robot.
  std::vector<std::string> urls(const std::string& robot) const;
  /// Returns the command that starts a controller for a robot.
  std::string command(const std::string& robot) const;

  /// Accepts connections and answers requests that have arrived. Marks the robots of the clients
  /// that it returns as taken.
  std::vector<ExternClient> serve(std::vector<ExternRobot>& robots, Clock::time_point now);
  /// Adds descriptors that are readable when serve() has work.
  void add_queries(std::vector<pollfd>& queries) const;

 private:
  static constexpr std::size_t kMaxPending = 64;

  /// A client that has not sent its request yet.
  struct PendingClient {
    MessageStream stream;
    bool remote;
    Clock::time_point since;
  };

  void claim(const ExternOptions& options);
  bool listen_at(const ExternOptions& options, int port);
  void accept_some(const Descriptor& listener, bool remote, std::vector<ExternRobot>& robots,
                   Clock::time_point now, std::vector<ExternClient>& clients);
  bool make_room();
  bool answer_request(PendingClient& client, std::vector<ExternRobot>& robots,
                      Clock::time_point now, std::vector<ExternClient>& clients);
  std::optional<std::string> robot_asked_for(PendingClient& client, Clock::time_point now,
                                             bool& over);
  void warn(const std::string& what);

  Console& console_;
  std::optional<InstanceFolder> folder_;
  std::string tcp_address_;
  Descriptor tcp_;
  std::vector<PendingClient> pending_;
  int warnings_ = 0;
};

}  // namespace servosim
