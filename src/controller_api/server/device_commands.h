// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller_api/protocol/protocol.h"
#include "controller_api/server/device_descriptions.h"
#include "controller_api/server/sample_stream.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim {

/// Applies the commands of a controller to the devices of its robot at once.
///
/// Invariant: a command that fits no device, or has a bad value, changes nothing.
///
/// Threads: one at a time, with the simulation.
class DeviceCommands {
 public:
  /// All arguments must outlive the object.
  DeviceCommands(Simulation& simulation, Robot& robot, DeviceDescriptions& descriptions,
                 SampleStream& samples)
      : simulation_(simulation), robot_(robot), descriptions_(descriptions), samples_(samples) {}

  /// Applies a command to the devices of a node or to the wheels.
  /// @param command  its target_of() must not be the robot
  /// @throws std::invalid_argument for a tag without a device, a command that no device of the node
  ///   takes, and a bad value
  void apply(const DeviceCommand& command);

 private:
  const DeviceNode& node_of(const DeviceCommand& command) const;
  void keep_blind_read(const DeviceNode& node);

  Simulation& simulation_;
  Robot& robot_;
  DeviceDescriptions& descriptions_;
  SampleStream& samples_;
};

}  // namespace servosim
