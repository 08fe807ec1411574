// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/copy_on_write.h"
#include "devices/connector_search.h"
#include "scene/scene.h"
#include "scene/scene_match.h"
#include "servosim/robot.h"

namespace servosim {

class PhysicsWorld;

/// The devices of robots and of no robot that are in the present scene, in the order of the scene:
/// a step processes them in this order, and a saved state has them in it.
///
/// Invariant: each device in `devices` is in the tree, and each part in another list is one of
/// theirs.
struct DeviceLists {
  std::vector<Device*> devices;
  std::vector<Motor*> motors;
  std::vector<PositionSensor*> sensors;
  std::vector<Brake*> brakes;
  std::vector<BodySensor*> body_sensors;
  std::vector<Emitter*> emitters;
  std::vector<Receiver*> receivers;
  std::vector<Connector*> connectors;
  std::vector<Led*> leds;
  ConnectorSearch connector_search;  ///< of all of them
  std::vector<DifferentialWheels*> wheels;
  std::vector<Robot*> with_battery;
  std::vector<Motor*> motor_of;                 ///< by joint of the scene; nullptr: none
  std::vector<const MotorSpec*> motor_spec_of;  ///< likewise

  /// Fills the lists, couples motors and introduces Connectors to each other. `ownerless`: devices
  /// outside every robot. This object must keep its address.
  void assemble(const std::vector<std::unique_ptr<Robot>>& robots, std::vector<Device>& ownerless,
                const Scene& scene);

 private:
  void add(Device& device);
  /// Whether the lists have each part that for_each_part() finds, and the wheels.
  bool are_complete() const;
};

/// Calls an action with the list of each kind of part. What saves or restores all of them must use
/// it.
template <typename Action, typename Lists>
void for_each_list(Action action, Lists& lists) {
  action(lists.motors);
  action(lists.sensors);
  action(lists.brakes);
  action(lists.body_sensors);
  action(lists.emitters);
  action(lists.receivers);
  action(lists.connectors);
  action(lists.leds);
  action(lists.wheels);
}

/// The public numbers of joints and propellers. They outlive every change of the tree: one that is
/// gone keeps its number, and one that comes back has its former one.
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
  /// @throws std::out_of_range for another number.
  const NumberedJoint& joint(int number) const;
  const TurnedPropeller& propeller(int number) const;

  /// Joints of another scene: those that were there keep their numbers, new ones get the next.
  void follow(const Scene& scene);
  /// After follow(), and DeviceLists::assemble() for the same scene: gives devices the numbers of
  /// their joints, and propellers theirs.
  void number_devices(const std::vector<Device*>& devices, PhysicsWorld& physics);
  /// The joints of another simulation of the same scene, with its numbers.
  void copy_joints(const JointNumbers& other) { joints_ = other.joints_; }

 private:
  CopyOnWrite<std::vector<NumberedJoint>> joints_;
  std::vector<TurnedPropeller> propellers_;
};

}  // namespace servosim
