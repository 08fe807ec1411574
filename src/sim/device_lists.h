// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/copy_on_write.h"
#include "devices/connector_search.h"
#include "scene/scene.h"
#include "scene/scene_match.h"
#include "servosim/robot.h"

namespace servosim {

class PhysicsWorld;

/// The devices in the present scene, those of robots and those outside of every robot. A saved
/// state has them in the order of `devices`.
///
/// Invariant: each node is in the tree, and each device in another list is in `devices`.
struct DeviceLists {
  std::vector<DeviceNode*> nodes;  ///< the nodes with a tag, in the order of the scene
  std::vector<Device*> devices;    ///< by turn; those of equal turns in the order of the scene
  std::vector<Emitter*> emitters;
  std::vector<Receiver*> receivers;
  std::vector<Connector*> connectors;
  ConnectorSearch connector_search;  ///< of all `connectors`
  std::vector<Robot*> with_battery;
  /// The real servos, each with the name of its joint.
  std::vector<std::pair<std::string, ServoElectronics*>> servos;
  std::vector<Motor*> motor_of;                 ///< by joint of the scene; nullptr: none
  std::vector<const MotorSpec*> motor_spec_of;  ///< by joint of the scene; nullptr: none

  /// Returns the devices of a turn, in the order of the scene.
  std::span<Device* const> of(Turn turn) const { return of_[static_cast<std::size_t>(turn)]; }
  /// Fills the lists, couples motors and numbers Connectors. This object must keep its address,
  /// since Connectors refer to it.
  /// @param robots  the robots in the tree
  /// @param ownerless  the nodes outside of every robot
  /// @param scene  the scene to which all of them are bound
  void assemble(const std::vector<std::unique_ptr<Robot>>& robots,
                std::vector<DeviceNode>& ownerless, const Scene& scene);

 private:
  void add(DeviceNode& node);

  std::array<std::span<Device* const>, static_cast<std::size_t>(Turn::Pen) + 1> of_;
};

/// The public numbers of joints and propellers. They outlive every change of the tree: an item that
/// is gone keeps its number, and a joint that comes back has its former one.
class JointNumbers {
 public:
  struct NumberedJoint {
    NodeKey key;
    int index;  ///< in Scene::joints; -1: it is gone
    std::string name;
    JointType type;
  };
  /// A propeller that a motor of a robot, or of no robot, turns.
  struct TurnedPropeller {
    std::string name;  ///< `robot/motor`
    const Motor* motor;
    const PropellerState* state;  ///< nullptr: it is gone
  };

  const std::vector<NumberedJoint>& joints() const { return *joints_; }
  const std::vector<TurnedPropeller>& propellers() const { return propellers_; }
  /// @throws std::out_of_range for a number that no joint or propeller has
  const NumberedJoint& joint(int number) const;
  const TurnedPropeller& propeller(int number) const;

  /// Takes the joints of another scene. Those that were there keep their numbers, and new ones get
  /// the next numbers.
  void follow(const Scene& scene);
  /// Gives device nodes the numbers of their joints, and propellers their own numbers. It is called
  /// after follow() and DeviceLists::assemble() for the same scene.
  void number_devices(const std::vector<DeviceNode*>& nodes, PhysicsWorld& physics);
  /// Takes the joints of another simulation of the same scene, with its numbers.
  void copy_joints(const JointNumbers& other) { joints_ = other.joints_; }

 private:
  CopyOnWrite<std::vector<NumberedJoint>> joints_;
  std::vector<TurnedPropeller> propellers_;
};

}  // namespace servosim
