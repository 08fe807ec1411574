// SPDX-License-Identifier: Apache-2.0
#include "sim/device_lists.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "sim/devices.h"
#include "sim/simulation_core.h"

namespace servosim {

namespace {

// Coupled motors of a robot: each gets the commands of the others.
void couple(const std::vector<Device*>& robot_devices) {
  std::map<int, std::shared_ptr<std::vector<Motor*>>> groups;
  const auto group_of = [](const Device* device) { return device->spec->motor->coupling; };
  for (const Device* device : robot_devices) {
    if (device->motor != nullptr && group_of(device) != 0) {
      auto& group = groups[group_of(device)];
      group = group ? group : std::make_shared<std::vector<Motor*>>();
      group->push_back(device->motor.get());
    }
  }
  for (Device* device : robot_devices) {
    if (device->motor != nullptr) {
      const auto found = groups.find(group_of(device));
      device->motor->set_coupled(found != groups.end() ? found->second : nullptr);
    }
  }
}

}  // namespace

// The order of a robot's own devices, by which they have their tags, may be another one than that
// of the scene.
void DeviceLists::assemble(const std::vector<std::unique_ptr<Robot>>& robots,
                           std::vector<Device>& ownerless, const Scene& scene) {
  *this = {};
  motor_of.assign(scene.joints.size(), nullptr);
  motor_spec_of.assign(scene.joints.size(), nullptr);
  std::unordered_map<const DeviceSpec*, Device*> made;
  for (const auto& robot : robots) {
    for (Device& device : robot->own_devices()) {
      made.emplace(device.spec.get(), &device);
    }
  }
  for (Device& device : ownerless) {
    made.emplace(device.spec.get(), &device);
  }
  for (const auto& robot : robots) {
    const auto first = static_cast<std::ptrdiff_t>(devices.size());
    for (const DeviceSpec& spec : robot->spec().devices) {
      add(*made.at(&spec));
    }
    couple({devices.begin() + first, devices.end()});
    if (robot->wheels() != nullptr) {
      wheels.push_back(robot->wheels());
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
  SERVOSIM_ASSERT(are_complete(), "a part of {} devices is in no list", devices.size());
  connector_search.set(connectors);
}

bool DeviceLists::are_complete() const {
  std::size_t parts = wheels.size();
  for (const Device* device : devices) {
    for_each_part([&parts](const auto& part) { parts += part != nullptr ? 1 : 0; }, *device);
  }
  for_each_list([&parts](const auto& list) { parts -= list.size(); }, *this);
  return parts == 0;
}

void DeviceLists::add(Device& device) {
  SERVOSIM_ASSERT(!device.detached, "device \"{}\" is not in the tree", device.name);
  devices.push_back(&device);
  if (device.motor != nullptr && device.spec->joint >= 0) {
    motor_of[device.spec->joint] = device.motor.get();
    motor_spec_of[device.spec->joint] = &*device.spec->motor;
  }
  const auto add_part = [](auto& list, const auto& part) {
    if (part != nullptr) {
      list.push_back(part.get());
    }
  };
  add_part(motors, device.motor);
  add_part(sensors, device.sensor);
  add_part(brakes, device.brake);
  add_part(body_sensors, device.body_sensor);
  add_part(emitters, device.emitter);
  add_part(receivers, device.receiver);
  add_part(connectors, device.connector);
  add_part(leds, device.led);
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

void JointNumbers::number_devices(const std::vector<Device*>& devices, PhysicsWorld& physics) {
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
  for (Device* device : devices) {
    device->joint = device->spec->joint >= 0 ? number_of[device->spec->joint] : -1;
  }
  std::unordered_map<const Motor*, std::size_t> known;
  for (std::size_t i = 0; i < propellers_.size(); ++i) {
    known.emplace(propellers_[i].motor, i);
  }
  for (const Device* device : devices) {
    if (device->motor == nullptr || device->spec->propeller < 0) {
      continue;
    }
    const TurnedPropeller now{device->motor->owner() + '/' + device->name, device->motor.get(),
                              &physics.joints().propellers()[device->spec->propeller]};
    const auto [number, is_new] = known.emplace(now.motor, propellers_.size());
    if (is_new) {
      propellers_.push_back(now);
    } else {
      propellers_[number->second] = now;
    }
  }
}

}  // namespace servosim
