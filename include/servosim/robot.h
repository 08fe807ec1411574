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

/// One device of a robot, as its controller uses it. A device that this program does not simulate
/// has none of the parts.
///
/// Threads: one at a time, with the whole Simulation it is part of.
struct Device {
  std::string name;
  std::string model;
  std::string node_type;  ///< Webots node name, e.g. "RotationalMotor"
  int joint = -1;         ///< index of its joint, -1 for none
  /// Of the present scene; changes when the tree does. A copy, without joint and Solid, if it is
  /// gone.
  std::shared_ptr<const DeviceSpec> spec;
  bool detached = false;  ///< no longer in the tree: it does nothing
  std::unique_ptr<Motor> motor;
  std::unique_ptr<PositionSensor> sensor;
  std::unique_ptr<Brake> brake;
  std::unique_ptr<BodySensor> body_sensor;
  std::unique_ptr<Emitter> emitter;
  std::unique_ptr<Receiver> receiver;
  std::unique_ptr<Connector> connector;
  std::unique_ptr<Led> led;

  /// Of its emitter and its receiver, as far as it has them. @throws std::invalid_argument for less
  /// than -1.
  void set_channel(int channel) const;
};

/// A Robot node with its devices in the order of their tags: device i has tag i + 1.
/// Threads: one at a time, with the whole Simulation it is part of.
class Robot {
 public:
  const std::string& name() const { return name_; }
  /// In Scene::robots; changes when the tree does. -1: it is no longer in the tree.
  int index() const { return index_; }
  /// The index of its Solid; changes when the tree does. -1: it is no longer in the tree.
  int solid() const;
  /// Of the present scene; changes when the tree does.
  const RobotSpec& spec() const { return *spec_; }
  const std::vector<Device>& devices() const { return devices_; }
  /// First device of that name, exact and case-sensitive; nullptr if there is none.
  const Device* find(std::string_view device_name) const;
  /// @throws std::out_of_range naming the robot's motors if there is none of that name.
  Motor& motor(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  PositionSensor& position_sensor(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Brake& brake(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  BodySensor& body_sensor(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Emitter& emitter(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Receiver& receiver(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Connector& connector(std::string_view device_name) const;
  /// @throws std::out_of_range likewise.
  Led& led(std::string_view device_name) const;
  /// The drive of a DifferentialWheels; nullptr for every other robot.
  DifferentialWheels* wheels() const { return wheels_.get(); }
  /// nullptr where the world does not simulate one: all devices then have power for ever.
  const Battery* battery() const { return battery_ ? &*battery_ : nullptr; }
  /// Switches all motors and sensors off, as an empty battery does, or on, for any charge of the
  /// battery. Off: sensors keep their last value and motors have no available force, for any
  /// command; force control continues to act and a propeller stops. On: motors have their whole
  /// force. An empty battery gives no energy then, and does not switch off again.
  void set_power(bool on);

  // Used by Simulation.
  Robot(std::shared_ptr<const RobotSpec> spec, int index);
  /// Binds it to its description and index in another scene; -1: it is gone.
  void rebind(std::shared_ptr<const RobotSpec> spec, int index);
  void add(Device device) { devices_.push_back(std::move(device)); }
  void set_wheels(std::unique_ptr<DifferentialWheels> wheels) { wheels_ = std::move(wheels); }
  std::vector<Device>& own_devices() { return devices_; }
  void set_battery(const std::optional<Battery>& battery) { battery_ = battery; }
  void set_battery_state(const Battery::State& state) { battery_->set_state(state); }
  /// Takes one step's energy from the battery, by the efforts measured last; at 0 J all motors and
  /// sensors go off. `h` [s]. @returns whether that happened for the first time.
  bool drain_battery(double h);

 private:
  std::string name_;
  int index_;
  std::shared_ptr<const RobotSpec> spec_;  // not null
  std::vector<Device> devices_;
  std::unique_ptr<DifferentialWheels> wheels_;
  std::optional<Battery> battery_;
};

}  // namespace servosim
