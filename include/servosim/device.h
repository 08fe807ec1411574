// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "servosim/sampler.h"

namespace servosim {

class DeviceArchive;
struct DeviceCommand;
struct DeviceBinding;

/// The kind of a device, in the order in which the devices of a world measure after a step and in
/// which their states are saved. Devices with equal turns come in the order of the scene.
///
/// Threads: a plain value.
enum class Turn : std::uint8_t {
  Motor,
  PositionSensor,
  Brake,
  BodySensor,
  Ranging,      ///< RangeFinder and Lidar
  Camera,       ///< the pictures of a Camera
  Recognition,  ///< the objects that a Camera recognises
  Radar,
  Emitter,
  Receiver,
  Connector,
  Led,
  Wheels,  ///< DifferentialWheels
  Display,
  Pen,
};

/// A value of a device that its controller and a Supervisor may set. Most values have a field of
/// the node.
///
/// Threads: a plain value.
struct DeviceSetting {
  /// The name of the field; empty for a value that only its controller asks for.
  std::string_view field;
  /// The value, in the units of the field. Numbers from `count` on are 0.
  std::array<double, 3> numbers{};
  /// How many of the numbers the value has; 1 to 3.
  std::size_t count = 1;
  bool operator==(const DeviceSetting&) const = default;
};

/// What a command did to a device.
///
/// Threads: a plain value.
struct CommandEffect {
  /// False if the command is for other devices, and did nothing.
  bool fits = false;
  /// Whether the next answer to the controller has the value that results, even if it equals the
  /// one that was sent last.
  bool changes_setting = false;
  /// The field of that value; empty where the description of a motor has it instead.
  std::string_view field = {};
};

/// One object that moves, measures or sends. Each class is in a file of its own in src/devices/,
/// and src/devices/device_types.cpp lists which node has which devices.
///
/// A device is bound to the description of its node, to a scene and to its physics. When the tree
/// changes, Simulation binds it to the next ones. If its node is gone, it is bound to none: then it
/// does nothing and keeps its last sample. Its address stays as long as the simulation.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Device {
 public:
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Starts sampling, first one period after `now_ms`.
  /// @param period_ms  [ms]; 0 stops, and keeps the last sample
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  virtual void enable(int period_ms, double now_ms);
  /// When it measures, and the first number of the last sample. A device that measures nothing
  /// never has a sample.
  const Sampler& sampler() const { return sampler_; }
  /// The last sample; NaN before the first one. The span is valid as long as the device; each
  /// sample overwrites it.
  virtual std::span<const double> values() const { return {&sampler_.value(), 1}; }

  // Only Simulation and Session use what follows.
  Turn turn() const { return turn_; }
  /// Whether it moves joints. Such devices come first in Simulation::state_hash().
  bool drives() const { return turn_ == Turn::Motor || turn_ == Turn::Wheels; }
  /// Whether it does something after each step, enabled or not.
  bool follows() const { return follows_; }
  /// Whether it is a PositionSensor, also the one of a motor's joint, or a BodySensor.
  bool is_sensor() const { return turn_ == Turn::PositionSensor || turn_ == Turn::BodySensor; }
  /// Binds it to the same node's new description and to its scene, or to no scene if the node is
  /// gone. What was commanded and measured stays, within the new limits.
  /// @param binding  what it refers to must outlive the device or the next rebind()
  virtual void rebind(const DeviceBinding& binding) = 0;
  /// Acts before the physics of a step. Simulation calls it for motors, wheels and Connectors.
  /// @param h  the length of the step [s]; > 0
  virtual void before_step(double h);
  /// Called after each basic step, at the time `now_ms` [ms]: calls follow(), and takes a sample if
  /// one is due and the device has power.
  void after_step(double now_ms) {
    if (follows_) {
      follow();
    }
    if (sampler_.due(now_ms) && powered_) {
      measure(now_ms);
    }
  }
  /// Applies a command of its controller at once. By default a device takes the one that sets its
  /// sampling period, and leaves every other one to the other devices of its node.
  /// @param command  its reader has checked what its payload names
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument for a bad value; nothing has changed then
  virtual CommandEffect command(const DeviceCommand& command, double now_ms);
  /// Appends the values that its controller and a Supervisor may set, in a fixed order, so that two
  /// lists of a device can be compared.
  virtual void list_settings(std::vector<DeviceSetting>& settings) const;
  /// Sets a value that list_settings() names; a field that it does not name is ignored.
  /// @param field  its name; not empty
  /// @param numbers  as many as the setting has, in the units of the field
  /// @throws std::invalid_argument for a bad value
  virtual void set_field(std::string_view field, std::span<const double> numbers);
  /// Gives up what it was commanded to do, as when a Supervisor loads the state of its node.
  virtual void restart() {}
  /// Returns an action that restores its present settings after a Supervisor's reset. If it is
  /// enabled, the action makes its next sample due at once. The device must outlive the action.
  virtual std::function<void()> keep_settings();
  /// Saves, restores or hashes everything that changes while it runs.
  void archive(DeviceArchive& archive);
  /// Switches it off or on. Without power it takes no samples and keeps the last one, and does
  /// nothing that takes power. See Robot::set_power().
  virtual void set_power(bool on) { powered_ = on; }
  /// The power that it takes from a battery [W], by the present effort; >= 0. It is not const,
  /// since a motor measures its effort first.
  virtual double power_consumption() { return 0.0; }

 protected:
  /// @param turn  its kind
  /// @param follows  whether follow() does anything, so that other devices need no call
  explicit Device(Turn turn, bool follows = false) : turn_(turn), follows_(follows) {}

  /// Called after each step, before measure(), also without power and while nothing is due.
  virtual void follow();
  /// Stores a sample in `sampler_`, unless its node is gone. It is called when a sample is due.
  /// @param now_ms  the simulated time [ms]
  virtual void measure(double now_ms);
  /// Lists everything of the derived class that changes while it runs, in a fixed order. archive()
  /// adds `sampler_` and `powered_`.
  virtual void archive_state(DeviceArchive& archive);

  Sampler sampler_;
  bool powered_ = true;

 private:
  Turn turn_;
  bool follows_;
};

}  // namespace servosim
