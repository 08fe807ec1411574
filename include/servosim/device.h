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

/// The order in which the devices of a world measure after a step, and in which their states are
/// saved. Devices of the same kind are in the order of the scene. Threads: a plain value.
enum class Turn : std::uint8_t {
  Motor,
  PositionSensor,
  Brake,
  BodySensor,
  Emitter,
  Receiver,
  Connector,
  Led,
  Wheels,  ///< DifferentialWheels
};

/// A value of a device that its controller and a Supervisor may set, and for which the node has a
/// field. Threads: a plain value.
struct DeviceSetting {
  std::string_view field;  ///< name of the field; empty if only the controller asks for the value
  std::array<double, 3> numbers{};  ///< in the units of the field
  std::size_t count = 1;            ///< number of values in `numbers`
  bool operator==(const DeviceSetting&) const = default;
};

/// The effect of a command on a device.
/// Threads: a plain value.
struct CommandEffect {
  bool fits = false;  ///< false if the command is for another kind of device, and had no effect
  bool changes_setting = false;  ///< whether the controller must be told which value it has set
  std::string_view field = {};   ///< the field of that value; empty for a device of a joint
};

/// A device that moves, measures or sends. Each class has a file of its own in src/devices/;
/// src/devices/device_types.cpp lists which nodes have which classes.
///
/// A device is bound to a scene and its physics. After a change of the tree it is bound to the next
/// scene, or to none if its node is gone, and then it does nothing.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Device {
 public:
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Starts to sample periodically, first one period after `now_ms`.
  /// @param period_ms  [ms]; 0 stops, and keeps the last sample
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  virtual void enable(int period_ms, double now_ms);
  /// Tells when it measures. A device that measures nothing never has a sample.
  const Sampler& sampler() const { return sampler_; }
  /// The last sample; NaN before the first one. Its address does not change.
  virtual std::span<const double> values() const { return {&sampler_.value(), 1}; }

  // Only Simulation and Session use what follows.
  Turn turn() const { return turn_; }
  /// Whether it moves joints. Such devices come first in a hash.
  bool drives() const { return turn_ == Turn::Motor || turn_ == Turn::Wheels; }
  /// Whether it is a sensor with a name of its own, or the sensor of a motor's joint.
  bool is_sensor() const { return turn_ == Turn::PositionSensor || turn_ == Turn::BodySensor; }
  /// Binds it to the same node's new description and to its scene. Commands and samples stay,
  /// within the new limits.
  virtual void rebind(const DeviceBinding& binding) = 0;
  /// Is called before the physics of a step of `h` [s].
  virtual void before_step(double h);
  /// Is called after a step that has ended at `now_ms` [ms], and takes a sample if one is due.
  void after_step(double now_ms) {
    if (follows_) {
      follow();
    }
    if (sampler_.due(now_ms) && powered_) {
      measure(now_ms);
    }
  }
  /// Executes a command of its controller. By default a device knows only the command that enables
  /// it.
  /// @throws std::invalid_argument for a bad value; nothing has changed then
  virtual CommandEffect command(const DeviceCommand& command, double now_ms);
  /// Appends the values that its controller and a Supervisor may set, in a fixed order.
  virtual void list_settings(std::vector<DeviceSetting>& settings) const;
  /// Sets a value that list_settings() names; other fields are ignored.
  /// @throws std::invalid_argument for a bad value
  virtual void set(std::string_view field, std::span<const double> numbers);
  /// Ends what it was commanded to do, as when a Supervisor loads the state of its node.
  virtual void restart() {}
  /// Returns an action that restores the current settings after a Supervisor's reset. A sensor that
  /// is enabled then measures at once.
  virtual std::function<void()> keep_settings();
  /// Saves, restores or hashes everything that changes while it runs.
  void archive(DeviceArchive& archive);
  /// Without power it takes no samples and does nothing that needs power.
  virtual void set_power(bool on) { powered_ = on; }
  /// The power that it takes from a battery [W], by the current effort.
  virtual double power_consumption() { return 0.0; }

 protected:
  /// `follows` tells whether follow() does anything.
  explicit Device(Turn turn, bool follows = false) : turn_(turn), follows_(follows) {}

  /// Is called after each step, before it measures.
  virtual void follow();
  /// Stores a sample in sampler_. Does nothing if the node is gone.
  virtual void measure(double now_ms);
  /// Lists everything that changes, except for the two members below.
  virtual void archive_state(DeviceArchive& archive);

  Sampler sampler_;
  bool powered_ = true;

 private:
  Turn turn_;
  bool follows_;
};

}  // namespace servosim
