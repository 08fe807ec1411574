// SPDX-License-Identifier: Apache-2.0
#include "sim/devices.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// The joint, or shaft of a propeller, that a device moves or measures.
JointState* joint_of(const DeviceSpec& spec, const DeviceEnvironment& environment) {
  if (spec.propeller >= 0) {
    return &environment.physics.joints().propellers()[spec.propeller].shaft;
  }
  if (spec.joint < 0) {
    return nullptr;
  }
  return has_endpoint(environment.scene.joints[spec.joint])
             ? &environment.physics.joints()[spec.joint]
             : nullptr;
}

const PropellerState* propeller_of(const DeviceSpec& spec, const DeviceEnvironment& environment) {
  return spec.propeller >= 0 ? &environment.physics.joints().propellers()[spec.propeller] : nullptr;
}

void describe(Device& device, std::shared_ptr<const DeviceSpec> spec) {
  device.name = spec->name;
  device.model = spec->model;
  device.node_type = spec->node_type;
  device.spec = std::move(spec);
}

// Whether a device has just the parts that a spec describes.
bool has_parts_of(const Device& device, const DeviceSpec& spec) {
  return (device.motor != nullptr) == spec.motor.has_value() &&
         (device.sensor != nullptr) == spec.sensor.has_value() &&
         (device.brake != nullptr) == spec.brake.has_value() &&
         (device.body_sensor != nullptr) == spec.body_sensor.has_value() &&
         (device.emitter != nullptr) == spec.emitter.has_value() &&
         (device.receiver != nullptr) == spec.receiver.has_value() &&
         (device.connector != nullptr) == spec.connector.has_value() &&
         (device.led != nullptr) == spec.led.has_value();
}

}  // namespace

Device make_device(std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                   const DeviceEnvironment& environment) {
  const auto& [scene, physics, light_colors, notices, random] = environment;
  const DeviceSpec& s = *spec;
  JointState* const joint = joint_of(s, environment);
  Device device;
  if (s.motor) {
    device.motor =
        std::make_unique<Motor>(*s.motor, owner, joint, notices, propeller_of(s, environment));
  }
  if (s.sensor) {
    device.sensor = std::make_unique<PositionSensor>(*s.sensor, joint, random);
  }
  if (s.brake) {
    device.brake = std::make_unique<Brake>(*s.brake, joint);
  }
  if (s.body_sensor) {
    device.body_sensor =
        std::make_unique<BodySensor>(*s.body_sensor, scene.world, light_colors, physics, random);
  }
  if (s.emitter) {
    device.emitter = std::make_unique<Emitter>(*s.emitter, scene, physics);
  }
  if (s.receiver) {
    device.receiver = std::make_unique<Receiver>(*s.receiver, physics, random);
  }
  if (s.connector) {
    device.connector = std::make_unique<Connector>(*s.connector, physics);
  }
  if (s.led) {
    device.led = std::make_unique<Led>(*s.led, light_colors);
  }
  device.joint = s.joint;
  describe(device, std::move(spec));
  return device;
}

void rebind_device(Device& device, std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                   const DeviceEnvironment& environment) {
  SERVOSIM_ASSERT(has_parts_of(device, *spec), "device \"{}\", a {}, becomes a {}", device.name,
                  device.node_type, spec->node_type);
  const auto& [scene, physics, light_colors, notices, random] = environment;
  const DeviceSpec& s = *spec;
  JointState* const joint = joint_of(s, environment);
  if (device.motor != nullptr) {
    device.motor->rebind(*s.motor, owner, joint, propeller_of(s, environment));
  }
  if (device.sensor != nullptr) {
    device.sensor->rebind(*s.sensor, joint);
  }
  if (device.brake != nullptr) {
    device.brake->rebind(*s.brake, joint);
  }
  if (device.body_sensor != nullptr) {
    device.body_sensor->rebind(*s.body_sensor, scene.world, light_colors, physics);
  }
  if (device.emitter != nullptr) {
    device.emitter->rebind(*s.emitter, scene, physics);
  }
  if (device.receiver != nullptr) {
    device.receiver->rebind(*s.receiver, physics);
  }
  if (device.connector != nullptr) {
    device.connector->rebind(*s.connector, physics);
  }
  if (device.led != nullptr) {
    device.led->rebind(*s.led, light_colors);
  }
  describe(device, std::move(spec));
  device.detached = false;
}

void detach_device(Device& device) {
  if (device.detached) {
    return;
  }
  auto own = std::make_shared<DeviceSpec>(*device.spec);
  own->joint = own->propeller = -1;
  const auto detach = [](const auto& part, auto& spec) {
    if (part != nullptr) {
      part->detach(*spec);
    }
  };
  detach(device.motor, own->motor);
  detach(device.sensor, own->sensor);
  detach(device.brake, own->brake);
  detach(device.body_sensor, own->body_sensor);
  detach(device.emitter, own->emitter);
  detach(device.receiver, own->receiver);
  detach(device.connector, own->connector);
  detach(device.led, own->led);
  device.spec = std::move(own);
  device.detached = true;
}

std::optional<Battery> make_battery(const RobotSpec& spec) {
  return !spec.battery.empty() && spec.battery.front() >= 0.0
             ? std::optional(Battery{spec.battery.front(), spec.cpu_consumption})
             : std::nullopt;
}

std::unique_ptr<Robot> make_robot(std::shared_ptr<const RobotSpec> spec, int index,
                                  const DeviceEnvironment& environment) {
  auto robot = std::make_unique<Robot>(spec, index);
  robot->own_devices().reserve(spec->devices.size());
  for (const DeviceSpec& device : spec->devices) {
    robot->add(make_device({spec, &device}, spec->name, environment));
  }
  if (spec->wheels) {
    robot->set_wheels(std::make_unique<DifferentialWheels>(
        *spec->wheels, spec->name, environment.physics, environment.random, environment.notices));
  }
  robot->set_battery(make_battery(*spec));
  return robot;
}

void detach_robot(Robot& robot) {
  for (Device& device : robot.own_devices()) {
    detach_device(device);
  }
  auto own = std::make_shared<RobotSpec>(robot.spec());
  own->devices.clear();
  own->solid = -1;
  if (robot.wheels() != nullptr) {
    own->wheels->solid = -1;
    own->wheels->joints = {-1, -1};
    robot.wheels()->detach(*own->wheels);
  }
  robot.rebind(std::move(own), -1);
}

// The radius is Webots' formula.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status) {
  const double length = norm(endpoint * muscle.end_offset - muscle.start_offset);
  return {status, length, std::sqrt(3.0 * muscle.volume / (4.0 * std::numbers::pi * length))};
}

}  // namespace servosim
