// SPDX-License-Identifier: Apache-2.0
#include "sim/devices.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "physics/physics_world.h"
#include "scene/scene.h"
#include "sim/simulation.h"

namespace servosim {

namespace {

// What a device moves or measures. A joint without an endpoint stands still, as in Webots, whatever
// its motor is told.
JointState* joint_of(const DeviceSpec& spec, const DeviceSurroundings& around) {
  if (spec.propeller >= 0) {
    return &around.physics.propellers()[spec.propeller].shaft;
  }
  if (spec.joint < 0) {
    return nullptr;
  }
  const JointSpec& joint = around.scene.joints[spec.joint];
  return joint.child >= 0 || joint.reference || joint.belt ? &around.physics.joints()[spec.joint]
                                                           : nullptr;
}

}  // namespace

Device make_device(const DeviceSpec& spec, const std::string& owner,
                   const DeviceSurroundings& around) {
  Device device;
  device.name = spec.name;
  device.model = spec.model;
  device.node_type = spec.node_type;
  device.joint = spec.joint;
  device.spec = &spec;
  JointState* const joint = joint_of(spec, around);
  if (spec.motor) {
    device.motor = std::make_unique<Motor>(*spec.motor, owner, joint, around.notices);
    if (spec.propeller >= 0) {
      device.motor->set_propeller(around.physics.propellers()[spec.propeller]);
    }
  }
  if (spec.sensor) {
    device.sensor = std::make_unique<PositionSensor>(*spec.sensor, joint, around.random);
  }
  if (spec.brake) {
    device.brake = std::make_unique<Brake>(*spec.brake, joint);
  }
  if (spec.solid_sensor) {
    device.solid_sensor = std::make_unique<SolidSensor>(
        *spec.solid_sensor, around.scene.world, around.light_colors, around.physics, around.random);
  }
  if (spec.emitter) {
    device.emitter = std::make_unique<Emitter>(*spec.emitter, around.scene, around.physics);
  }
  if (spec.receiver) {
    device.receiver = std::make_unique<Receiver>(*spec.receiver, around.physics, around.random);
  }
  if (spec.connector) {
    device.connector = std::make_unique<Connector>(*spec.connector, around.physics);
  }
  if (spec.led) {
    device.led = std::make_unique<Led>(*spec.led, around.light_colors);
  }
  return device;
}

DeviceSpec without_surroundings(DeviceSpec spec) {
  spec.joint = -1;
  spec.propeller = -1;
  if (spec.solid_sensor) {
    spec.solid_sensor->solid = 0;
  }
  if (spec.emitter) {
    spec.emitter->solid = 0;
  }
  if (spec.receiver) {
    spec.receiver->solid = 0;
  }
  if (spec.connector) {
    spec.connector->solid = 0;
  }
  if (spec.led) {
    spec.led->lights.clear();
  }
  return spec;
}

// Which devices a simulation has, in the order in which it asks them.

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
  motor_of.assign(scene().joints.size(), nullptr);
  motor_spec_of.assign(scene().joints.size(), nullptr);
  number_of.assign(scene().joints.size(), -1);
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
                              &physics().propellers()[device.spec->propeller]};
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
  for (const auto* list : {&scene().ownerless_motors, &scene().ownerless_connectors}) {
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

// The radius is Webots' formula.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status) {
  const double length = norm(endpoint * muscle.end_offset - muscle.start_offset);
  return {status, length, std::sqrt(3.0 * muscle.volume / (4.0 * std::numbers::pi * length))};
}

}  // namespace servosim
