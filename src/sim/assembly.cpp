// SPDX-License-Identifier: Apache-2.0
// Which devices a simulation has, in the order in which it asks them.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "scene/scene.h"
#include "sim/simulation_impl.h"

namespace servosim {

// Makes the lists of what is there, in the order of the scene, which may not be that of the robots'
// devices.
void Simulation::Impl::assemble() {
  devices.clear();
  motors.clear();
  sensors.clear();
  solid_sensors.clear();
  emitters.clear();
  receivers.clear();
  connectors.clear();
  wheels.clear();
  with_battery.clear();
  motor_of.assign(scene.joints.size(), nullptr);
  motor_spec_of.assign(scene.joints.size(), nullptr);
  number_of.assign(scene.joints.size(), -1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i].index >= 0) {
      number_of[numbers[i].index] = static_cast<int>(i);
    }
  }
  std::map<const DeviceSpec*, Device*> made;
  for (const auto& robot : robots) {
    for (Device& device : robot->own_devices()) {
      made.emplace(device.spec, &device);
    }
  }
  for (Device& device : ownerless) {
    made.emplace(device.spec, &device);
  }
  std::unordered_map<const Motor*, std::size_t> propeller_of;
  for (std::size_t i = 0; i < turned_propellers.size(); ++i) {
    propeller_of.emplace(turned_propellers[i].motor, i);
  }
  const auto enlist_propeller = [&](const Device& device, const std::string& owner) {
    const TurnedPropeller now{owner + '/' + device.name, device.motor.get(),
                              &physics.propellers()[device.spec->propeller]};
    const auto [known, is_new] = propeller_of.emplace(now.motor, turned_propellers.size());
    if (is_new) {
      turned_propellers.push_back(now);
    } else {
      turned_propellers[known->second] = now;
    }
  };
  for (const auto& robot : robots) {
    std::vector<Device*> its;
    for (const DeviceSpec& spec : robot->spec().devices) {
      its.push_back(made.at(&spec));
      enlist(*its.back(), spec);
      if (spec.motor && spec.propeller >= 0) {
        enlist_propeller(*its.back(), robot->name());
      }
    }
    couple(its);
    if (robot->wheels() != nullptr) {
      wheels.push_back(robot->wheels());
    }
    if (robot->battery() != nullptr) {
      with_battery.push_back(robot.get());
    }
  }
  for (const auto* list : {&scene.ownerless_motors, &scene.ownerless_connectors}) {
    for (const DeviceSpec& spec : *list) {
      enlist(*made.at(&spec), spec);
      if (spec.motor && spec.propeller >= 0) {
        enlist_propeller(*made.at(&spec), "world");
      }
    }
  }
  for (std::size_t i = 0; i < connectors.size(); ++i) {
    connectors[i]->meet(connectors, static_cast<int>(i));
  }
}

void Simulation::Impl::enlist(Device& device, const DeviceSpec& spec) {
  devices.push_back(&device);
  if (device.motor != nullptr) {
    motors.push_back(device.motor.get());
    if (spec.joint >= 0) {
      motor_of[spec.joint] = device.motor.get();
      motor_spec_of[spec.joint] = &*spec.motor;
    }
  }
  const auto add = [](auto& list, const auto& part) {
    if (part != nullptr) {
      list.push_back(part.get());
    }
  };
  add(sensors, device.sensor);
  add(solid_sensors, device.solid_sensor);
  add(emitters, device.emitter);
  add(receivers, device.receiver);
  add(connectors, device.connector);
  device.joint = spec.joint >= 0 ? number_of[spec.joint] : -1;
}

// Motors of a robot that take each other's commands.
void Simulation::Impl::couple(const std::vector<Device*>& robot_devices) {
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

}  // namespace servosim
