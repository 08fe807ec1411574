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
  bool print_urls = false;  ///< on standard output
};

/// A robot that is controlled by somebody from outside.
struct ExternRobot {
  std::string name;
  bool taken = false;  ///< somebody controls it now
};

/// Where extern controllers connect: accepts who names a robot that has none, and refuses all
/// others. It never blocks; of too many without a request one of the oldest is closed.
class ExternListener {
 public:
  using Clock = std::chrono::steady_clock;

  struct Guest {
    std::size_t robot;  ///< index in the list of robots
    Stream stream;
    bool remote;  ///< perhaps from another machine
  };

  /// @throws std::runtime_error if the port or address cannot be had
  ExternListener(const ExternOptions& options, Console& console);

  /// Folder for what belongs to this simulation, with a slash at its end.
  const std::string& folder() const { return folder_->path(); }
  /// What to set WEBOTS_CONTROLLER_URL to for a robot.
  std::vector<std::string> urls(const std::string& robot) const;
  /// The command that starts a controller for a robot.
  std::string command(const std::string& robot) const;

  /// Does what has come. Marks the robots of the guests as taken.
  std::vector<Guest> serve(std::vector<ExternRobot>& robots, Clock::time_point now);
  /// What to watch for serve() to have something to do.
  void add_queries(std::vector<pollfd>& queries) const;

 private:
  struct Caller {
    Stream stream;
    bool remote;
    Clock::time_point since;
  };

  void claim(const ExternOptions& options);
  bool listen_at(const ExternOptions& options, int port);
  void accept_some(const Descriptor& listener, bool remote, std::vector<ExternRobot>& robots,
                   Clock::time_point now, std::vector<Guest>& guests);
  bool make_room();
  bool answer(Caller& caller, std::vector<ExternRobot>& robots, Clock::time_point now,
              std::vector<Guest>& guests);
  std::optional<std::string> robot_asked_for(Caller& caller, Clock::time_point now, bool& over);
  void complain(const std::string& what);

  Console& console_;
  std::optional<InstanceFolder> folder_;
  std::string tcp_address_;
  Descriptor tcp_;
  std::vector<Caller> callers_;
  int complaints_ = 0;
};

}  // namespace servosim
