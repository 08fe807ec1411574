// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/queues.h"
#include "base/sockets.h"
#include "run/run_extension.h"
#include "servosim/simulation.h"
#include "yarp/ports/node.h"
#include "yarp/server/timeline.h"

namespace servosim::yarp::server {

/// The time of a run, for programs with YARP_CLOCK, and requests that pause the run, step it and
/// reset it. The names and answers are those of Gazebo's plugin: docs/reference/yarp.md lists them.
///
/// NAME gives seconds and nanoseconds as two int32 after each step, and the last ones to each new
/// reader, so that a program that starts during a pause does not wait. NAME/rpc takes requests.
///
/// Only the thread of the simulation may call its functions. The node, the simulation and the
/// timeline must outlive it.
class ClockServer {
 public:
  struct Options {
    std::string name = "/clock";
    Generation generation = Generation::V3;
    net::Address listen{};  ///< port 0 means any free ports; otherwise that port and the next one
    /// Receives warnings about clients, at most one per second.
    std::function<void(const std::string&)> report;
  };

  /// @throws std::system_error if a port cannot be opened
  ClockServer(YarpNode& node, const Simulation& simulation, Timeline& timeline, Options options);
  ~ClockServer();
  ClockServer(const ClockServer&) = delete;
  ClockServer& operator=(const ClockServer&) = delete;

  // ---- see RunExtension
  void begin(std::optional<double> realtime_factor);
  void speed_changed(double speed);
  bool ready() const;
  RunChanges take_changes();
  void before_step();
  void after_step();
  void after_reset();

  /// Return the addresses of NAME and NAME/rpc.
  Contact clock() const;
  Contact rpc() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace servosim::yarp::server
