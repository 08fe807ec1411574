// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/simulation_core.h"

namespace servosim {

/// A change of a simulation to another scene. It builds the physics of the scene next to the
/// present one, finds which robots and devices have the same nodes, and binds those to the new
/// scene. New ones follow behind, and those that are gone are detached. Nothing changes before
/// apply().
///
/// A device node is the same if its id and type are the same, so that it has the same devices.
///
/// Threads: one at a time, with the whole Simulation.
class Rebuild {
 public:
  /// Builds the physics, and the robots and devices that are new.
  /// @throws LoadError if the scene cannot be simulated
  Rebuild(SimulationCore& core, std::shared_ptr<const Scene> scene, Diagnostics& diagnostics);

  /// Gives the new physics the state of the present one.
  /// @throws LoadError for a Solid that the next step would not accept there
  void transfer_physics();

  /// Binds robots and devices, and destroys the former scene and physics.
  /// @returns the Connectors whose field isLocked has changed, in the order of the scene
  std::vector<Connector*> apply();

 private:
  struct NextDevice {
    std::shared_ptr<const DeviceSpec> spec;
    std::optional<std::size_t> known;  // its index in the present list; nothing: it is new
    DeviceNode made;                   // the node, if it is new
  };
  struct NextRobot {
    NodeKey key;
    Robot* known;                 // nullptr: it is new
    std::unique_ptr<Robot> made;  // the robot, if it is new
    std::vector<NextDevice> devices;
  };

  std::vector<NextDevice> match_devices(const std::vector<DeviceNode>& known,
                                        const std::vector<const DeviceSpec*>& specs,
                                        const std::string& owner);
  void match_robots();
  void apply_to_robots();
  void apply_to_robot(Robot& robot, NextRobot& next, int index);
  void apply_to_devices(std::vector<DeviceNode>& known, std::vector<NextDevice>& next,
                        const std::string& owner);
  void apply_to_device(DeviceNode& node, NextDevice& next, const std::string& owner);

  SimulationCore& core_;
  std::unique_ptr<BuiltScene> next_;
  std::vector<NodeKey> present_robots_;  // by index of the robot in the present scene
  std::vector<NextRobot> robots_;        // by index of the robot in the next scene
  std::vector<NextDevice> ownerless_;
  std::vector<Connector*> relocked_;
};

}  // namespace servosim
