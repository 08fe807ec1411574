// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "controller/protocol/entry.h"
#include "controller/protocol/stream.h"
#include "run/console.h"
#include "run/instance_folder.h"

struct pollfd;

namespace servosim {

struct ExternOptions {
  std::optional<int> port;  ///< 1 ... 65535; without it the first that is free, from 1234 on
  std::string tcp_address;  ///< of ours, at which to listen by TCP too; empty: not at all
  bool print_urls = false;  ///< on standard output, and who connects and disconnects
  /// As Webots: it listens without extern robots too; `port` is the first of eleven to try; and a
  /// robot whose controller has disconnected waits for another one.
  bool as_webots = false;
};

/// A robot with an extern controller.
struct ExternRobot {
  std::string name;
  bool taken = false;  ///< its controller is connected
};

/// A client that is accepted as the controller of a robot.
struct ExternClient {
  std::size_t robot;  ///< index in the list of robots
  MessageStream stream;
  bool remote;  ///< perhaps from another machine
};

/// The listener for extern controllers: accepts a client that names a robot without a controller,
/// and refuses all others. It never blocks.
///
/// Invariants:
/// * At most kMaxPending clients have connected and not yet sent their request; of more, one of the
///   oldest is closed.
/// * A robot that is taken gets no client.
class ExternListener {
 public:
  using Clock = std::chrono::steady_clock;

  /// @throws std::runtime_error if the port or address is not available
  ExternListener(const ExternOptions& options, Console& console);

  /// The folder of this simulation's files, with a slash at its end.
  const std::string& folder() const { return folder_->path(); }
  /// The value of WEBOTS_CONTROLLER_URL for a robot.
  std::vector<std::string> urls(const std::string& robot) const;
  /// The command that starts a controller for a robot.
  std::string command(const std::string& robot) const;

  /// Accepts connections and answers requests that have arrived. Marks the robots of the clients
  /// that it returns as taken.
  std::vector<ExternClient> serve(std::vector<ExternRobot>& robots, Clock::time_point now);
  /// Descriptors that are readable when serve() has work.
  void add_queries(std::vector<pollfd>& queries) const;

 private:
  static constexpr std::size_t kMaxPending = 64;

  /// One that has not yet sent its request.
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
