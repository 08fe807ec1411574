// SPDX-License-Identifier: Apache-2.0
#include "sim/devices.h"

#include "physics/physics_world.h"

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

}  // namespace servosim
