// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/device_binding.h"
#include "scene/scene.h"
#include "scene/scene_match.h"
#include "servosim/robot.h"

namespace servosim {

/// A robot that has left the tree. It does nothing, and comes back if its node does.
struct DetachedRobot {
  NodeKey key;
  std::unique_ptr<Robot> robot;
};

/// The robots and devices of a simulation by owner. They keep their addresses as long as the
/// simulation.
struct DeviceOwners {
  std::vector<std::unique_ptr<Robot>> robots;  ///< by Robot::index(), which is that in the scene
  std::vector<DetachedRobot> detached;         ///< their index is -1
  std::vector<DeviceNode> ownerless;           ///< outside of every robot, also those that are gone
};

/// A change of robots and devices to another scene. It finds which of them have the same nodes, and
/// binds those to the other scene. New ones follow behind, and those that are gone are detached.
/// Nothing changes before apply().
///
/// A device node is the same if its id and type are the same, so that it has the same devices.
///
/// Threads: one at a time, with the whole Simulation.
class Rebinding {
 public:
  /// Makes the robots and devices that are new.
  /// @param owners  the robots and devices; must outlive this object
  /// @param present  the scene to which they are bound
  /// @param next  the other scene; not null
  /// @param environment  what they will be bound to; its parts must outlive this object
  Rebinding(DeviceOwners& owners, const Scene& present, std::shared_ptr<const Scene> next,
            const DeviceEnvironment& environment);

  /// Binds robots and devices to the other scene.
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
  void match_robots(const Scene& present);
  void apply_to_robots();
  void apply_to_robot(Robot& robot, NextRobot& next, int index);
  void apply_to_devices(std::vector<DeviceNode>& known, std::vector<NextDevice>& next,
                        const std::string& owner);
  void apply_to_device(DeviceNode& node, NextDevice& next, const std::string& owner);

  DeviceOwners& owners_;
  std::shared_ptr<const Scene> scene_;  // the other one
  DeviceEnvironment environment_;
  std::vector<NodeKey> present_robots_;  // by index of the robot in the present scene
  std::vector<NextRobot> robots_;        // by index of the robot in the other scene
  std::vector<NextDevice> ownerless_;
  std::vector<Connector*> relocked_;
};

}  // namespace servosim
