// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/sockets.h"
#include "servosim/simulation.h"
#include "yarp/ports/node.h"
#include "yarp/protocol/analog_sensors.h"
#include "yarp/server/timeline.h"

namespace servosim::yarp::server {

/// Sensors of a robot as ports that YARP's multipleanalogsensorsclient finds: NAME/measures:o for
/// their values, and NAME/rpc:o, which answers with their names. docs/reference/yarp.md lists which
/// device is which kind of sensor.
///
/// The sensors are sampled with the server's period, unless their controller has enabled them with
/// another one. Nothing is published before the first sample of each. While the run is paused, the
/// last values are published again, since clients take silence for an error.
///
/// Only the thread of the simulation may call its functions. The node, the simulation and the
/// timeline must outlive it.
class SensorServer {
 public:
  struct Options {
    std::string name;                  ///< such as "/icub/inertials"
    std::string robot;                 ///< its name in the world
    std::vector<std::string> devices;  ///< names of its sensors; empty means all that have a kind
    double period = 0.01;              ///< [s] of simulated time between two messages; > 0
    Generation generation = Generation::V3;
    net::Address listen{};  ///< port 0 means any free ports; otherwise that port and the next one
  };

  /// @throws std::out_of_range for a robot or sensor that the world does not have,
  ///   std::invalid_argument for a device that is no such sensor, or a robot without any;
  ///   std::system_error if a port cannot be opened
  SensorServer(YarpNode& node, Simulation& simulation, const Timeline& timeline, Options options);
  ~SensorServer();
  SensorServer(const SensorServer&) = delete;
  SensorServer& operator=(const SensorServer&) = delete;

  /// Publishes the values if they are due. It copies numbers and never waits.
  void after_step();

  const std::vector<AnalogSensor>& sensors() const;
  /// Return the addresses of NAME/measures:o and NAME/rpc:o.
  Contact measures() const;
  Contact rpc() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servosim::yarp::server
