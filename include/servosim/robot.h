// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "servosim/battery.h"
#include "servosim/body_sensor.h"
#include "servosim/brake.h"
#include "servosim/connector.h"
#include "servosim/differential_wheels.h"
#include "servosim/emitter.h"
#include "servosim/led.h"
#include "servosim/motor.h"
#include "servosim/position_sensor.h"
#include "servosim/receiver.h"

namespace servosim {

struct DeviceSpec;
struct RobotSpec;

/// A device node: it has a name and a tag, by which its controller finds it, and consists of
/// devices. A Servo is a Motor and a PositionSensor; a node that servosim does not simulate, such
/// as a Camera, has no device.
///
/// Threads: one at a time, with the whole Simulation it is part of.
struct DeviceNode {
  /// The field `name`.
  std::string name;
  /// The field `model`.
  std::string model;
  /// The name of the Webots node, such as "RotationalMotor".
  std::string node_type;
  /// The index of its joint in Simulation::joints(); -1 for none.
  int joint = -1;
  /// Its description in the present scene; another one after each change of the tree. If the device
  /// is gone, it is a copy without joint and Solid.
  std::shared_ptr<const DeviceSpec> spec;
  /// The node is no longer in the tree, and its devices do nothing.
  bool detached = false;
  /// They keep their addresses as long as the simulation.
  std::vector<std::unique_ptr<Device>> devices;

  /// Returns its first device of a class; nullptr if it has none.
  template <typename T>
  T* get() const {
    for (const auto& device : devices) {
      if (T* const found = dynamic_cast<T*>(device.get())) {
        return found;
      }
    }
    return nullptr;
  }
  /// Returns its PositionSensor or BodySensor, nullptr if it has neither.
  Device* sensor() const;
};

/// A Robot node with its devices in the order of their tags: device i has tag i + 1.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Robot {
 public:
  /// The name, which is unique in the world: the second robot that the file calls "x" is "x#2".
  const std::string& name() const { return name_; }
  /// The index in Scene::robots; it may change when the tree does. -1: the robot is no longer in
  /// the tree.
  int index() const { return index_; }
  /// The index of its Solid in Simulation::solids(); it may change when the tree does. -1: the
  /// robot is no longer in the tree.
  int solid() const;
  /// Its description in the present scene. The reference is valid until the tree changes.
  const RobotSpec& spec() const { return *spec_; }
  /// All device nodes, also those that have left the tree, so that tags stay.
  const std::vector<DeviceNode>& devices() const { return devices_; }
  /// The first device node of that name, exact and case-sensitive, that is in the tree; nullptr if
  /// there is none.
  const DeviceNode* find(std::string_view device_name) const;
  /// The motor of the first device node of that name that has one. The reference is valid as long
  /// as the simulation.
  /// @throws std::out_of_range if there is none; the message has the names of the robot's motors
  Motor& motor(std::string_view device_name) const;
  /// The position sensor of that name. @throws std::out_of_range as motor()
  PositionSensor& position_sensor(std::string_view device_name) const;
  /// The brake of that name. @throws std::out_of_range as motor()
  Brake& brake(std::string_view device_name) const;
  /// The sensor of that name that measures the state of a Solid. @throws std::out_of_range as
  /// motor()
  BodySensor& body_sensor(std::string_view device_name) const;
  /// The emitter of that name. @throws std::out_of_range as motor()
  Emitter& emitter(std::string_view device_name) const;
  /// The receiver of that name. @throws std::out_of_range as motor()
  Receiver& receiver(std::string_view device_name) const;
  /// The Connector or VacuumGripper of that name. @throws std::out_of_range as motor()
  Connector& connector(std::string_view device_name) const;
  /// The LED of that name. @throws std::out_of_range as motor()
  Led& led(std::string_view device_name) const;
  /// The drive of a DifferentialWheels; nullptr for every other robot.
  DifferentialWheels* wheels() const;
  /// The battery; nullptr where the world simulates none, so that all devices always have power.
  const Battery* battery() const { return battery_ ? &*battery_ : nullptr; }
  /// Switches all motors and sensors off, as an empty battery does, or on. It does not depend on
  /// the charge of the battery.
  ///
  /// Off: sensors keep their last value, and motors have no available force, whatever they are
  /// told. Force control continues to act, and a propeller stops. On: motors have their whole
  /// force. A battery that is empty then gives no energy, and does not switch the devices off
  /// again.
  void set_power(bool on);

  // Only Simulation uses what follows.
  /// Robot number `index` of Scene::robots; -1: the robot is no longer in the tree.
  Robot(std::shared_ptr<const RobotSpec> spec, int index);
  /// Binds it to its description and index in another scene; index -1: the robot is gone.
  void rebind(std::shared_ptr<const RobotSpec> spec, int index);
  std::vector<DeviceNode>& own_devices() { return devices_; }
  /// The node of the drive of a DifferentialWheels, which has no tag; nothing for another robot.
  std::optional<DeviceNode>& drive() { return drive_; }
  void set_battery(const std::optional<Battery>& battery) { battery_ = battery; }
  Battery* own_battery() { return battery_ ? &*battery_ : nullptr; }
  /// Takes the energy of a step of `h` [s] from the battery, by the efforts of that step. At 0 J
  /// all motors and sensors are switched off. @returns whether that happened for the first time
  bool drain_battery(double h);

 private:
  std::string name_;
  int index_;
  std::shared_ptr<const RobotSpec> spec_;  // not null
  template <typename Action>
  void for_each_device(const Action& action) const;

  std::vector<DeviceNode> devices_;
  std::optional<DeviceNode> drive_;
  std::optional<Battery> battery_;
};

}  // namespace servosim
