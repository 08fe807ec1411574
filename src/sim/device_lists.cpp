// SPDX-License-Identifier: Apache-2.0
#include "sim/device_lists.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "sim/checked_index.h"

namespace servosim {

namespace {

// Couples the motors of a robot: each gets the commands of the others in its group.
void couple(std::span<DeviceNode* const> robot_nodes) {
  std::map<int, std::shared_ptr<std::vector<Motor*>>> groups;
  for (const DeviceNode* node : robot_nodes) {
    if (Motor* const motor = node->get<Motor>()) {
      auto& group = groups[node->spec->motor->coupling];
      group = group ? group : std::make_shared<std::vector<Motor*>>();
      group->push_back(motor);
    }
  }
  for (const auto& [number, group] : groups) {
    for (Motor* const motor : *group) {
      motor->set_coupled(number != 0 ? group : nullptr);
    }
  }
}

template <typename T>
void collect(std::vector<T*>& list, std::span<Device* const> devices) {
  for (Device* const device : devices) {
    list.push_back(static_cast<T*>(device));
  }
}

}  // namespace

// Tags follow the order of a robot's own devices, which may differ from the order of the scene
// after an edit of the tree.
void DeviceLists::assemble(const std::vector<std::unique_ptr<Robot>>& robots,
                           std::vector<DeviceNode>& ownerless, const Scene& scene) {
  *this = {};
  motor_of.assign(scene.joints.size(), nullptr);
  motor_spec_of.assign(scene.joints.size(), nullptr);
  std::unordered_map<const DeviceSpec*, DeviceNode*> made;
  for (const auto& robot : robots) {
    for (DeviceNode& node : robot->own_devices()) {
      made.emplace(node.spec.get(), &node);
    }
  }
  for (DeviceNode& node : ownerless) {
    made.emplace(node.spec.get(), &node);
  }
  for (const auto& robot : robots) {
    const std::size_t first = nodes.size();
    for (const DeviceSpec& spec : robot->spec().devices) {
      add(*made.at(&spec));
    }
    couple(std::span(nodes).subspan(first));
    if (DifferentialWheels* const wheels = robot->wheels()) {
      devices.push_back(wheels);
    }
    if (robot->battery() != nullptr) {
      with_battery.push_back(robot.get());
    }
  }
  for (const auto* list : {&scene.ownerless_motors, &scene.ownerless_connectors}) {
    for (const DeviceSpec& spec : *list) {
      add(*made.at(&spec));
    }
  }
  std::ranges::stable_sort(devices, {}, &Device::turn);
  for (std::size_t turn = 0; turn < of_.size(); ++turn) {
    const auto key = static_cast<Turn>(turn);
    of_[turn] = {std::ranges::lower_bound(devices, key, {}, &Device::turn),
                 std::ranges::upper_bound(devices, key, {}, &Device::turn)};
  }
  collect(emitters, of(Turn::Emitter));
  collect(receivers, of(Turn::Receiver));
  collect(connectors, of(Turn::Connector));
  connector_search.set(connectors);
  for (std::size_t j = 0; j < motor_of.size(); ++j) {
    if (motor_of[j] != nullptr && motor_of[j]->servo().electronics() != nullptr) {
      servos.emplace_back(scene.joints[j].name, motor_of[j]->servo().electronics());
    }
  }
}

void DeviceLists::add(DeviceNode& node) {
  SERVOSIM_ASSERT(!node.detached, "device \"{}\" is not in the tree", node.name);
  nodes.push_back(&node);
  for (const auto& device : node.devices) {
    devices.push_back(device.get());
  }
  if (node.spec->motor && node.spec->joint >= 0) {
    motor_of[node.spec->joint] = node.get<Motor>();
    motor_spec_of[node.spec->joint] = &*node.spec->motor;
  }
}

const JointNumbers::NumberedJoint& JointNumbers::joint(int number) const {
  return joints()[checked_index("joint", number, joints().size())];
}

const JointNumbers::TurnedPropeller& JointNumbers::propeller(int number) const {
  return propellers_[checked_index("propeller", number, propellers_.size())];
}

void JointNumbers::follow(const Scene& scene) {
  std::vector<NumberedJoint>& known_joints = joints_.writable();
  std::map<NodeKey, std::size_t> numbers;
  for (std::size_t i = 0; i < known_joints.size(); ++i) {
    known_joints[i].index = -1;
    numbers.emplace(known_joints[i].key, i);
  }
  const std::vector<NodeKey> keys = joint_keys(scene);
  known_joints.reserve(keys.size());
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const JointSpec& spec = scene.joints[j];
    NumberedJoint joint{keys[j], static_cast<int>(j), spec.name, spec.type};
    if (const auto known = numbers.find(keys[j]); known != numbers.end()) {
      known_joints[known->second] = std::move(joint);
    } else {
      known_joints.push_back(std::move(joint));
    }
  }
}

void JointNumbers::number_devices(const std::vector<DeviceNode*>& nodes, PhysicsWorld& physics) {
  std::vector<int> number_of(physics.joints().count(), -1);
  for (std::size_t i = 0; i < joints().size(); ++i) {
    SERVOSIM_ASSERT(joints()[i].index < static_cast<int>(number_of.size()), "joint {} of {}",
                    joints()[i].index, number_of.size());
    if (joints()[i].index >= 0) {
      number_of[joints()[i].index] = static_cast<int>(i);
    }
  }
  for (TurnedPropeller& propeller : propellers_) {
    propeller.state = nullptr;
  }
  for (DeviceNode* node : nodes) {
    node->joint = node->spec->joint >= 0 ? number_of[node->spec->joint] : -1;
  }
  std::unordered_map<const Motor*, std::size_t> known;
  for (std::size_t i = 0; i < propellers_.size(); ++i) {
    known.emplace(propellers_[i].motor, i);
  }
  for (const DeviceNode* node : nodes) {
    const Motor* const motor = node->spec->propeller >= 0 ? node->get<Motor>() : nullptr;
    if (motor == nullptr) {
      continue;
    }
    const TurnedPropeller now{motor->owner() + '/' + node->name, motor,
                              &physics.joints().propellers()[node->spec->propeller]};
    const auto [number, is_new] = known.emplace(now.motor, propellers_.size());
    if (is_new) {
      propellers_.push_back(now);
    } else {
      propellers_[number->second] = now;
    }
  }
}

}  // namespace servosim
