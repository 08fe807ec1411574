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
/// saved; those with equal turns come in the order of the scene.
/// Threads: a plain value.
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

/// A value of a device that its controller and a Supervisor may set; the node has a field for it.
/// Threads: a plain value.
struct DeviceSetting {
  std::string_view field;           ///< its name; empty: only its controller asks for the value
  std::array<double, 3> numbers{};  ///< in the units of the field
  std::size_t count = 1;            ///< of the numbers
  bool operator==(const DeviceSetting&) const = default;
};

/// What a command did to a device.
/// Threads: a plain value.
struct CommandEffect {
  bool fits = false;             ///< false: the command is for other devices, and did nothing
  bool changes_setting = false;  ///< the controller is to be told of the value that it has set
  std::string_view field = {};   ///< the field of that value; empty for a device of a joint
};

/// One thing that moves, measures or sends: each class is in a file of its own in src/devices/, and
/// src/devices/device_types.cpp lists which node has which.
///
/// It is bound to a scene and its physics. When the tree changes it is bound to those that follow,
/// or, if its node is gone, to none: then it does nothing.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Device {
 public:
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Starts measuring every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  virtual void enable(int period_ms, double now_ms);
  /// When it measures. A device that measures nothing never has a sample.
  const Sampler& sampler() const { return sampler_; }
  /// The last sample, NaN before the first. Its address stays.
  virtual std::span<const double> values() const { return {&sampler_.value(), 1}; }

  // Used by Simulation and Session.
  Turn turn() const { return turn_; }
  /// Whether it moves joints: such devices come first in a hash.
  bool drives() const { return turn_ == Turn::Motor || turn_ == Turn::Wheels; }
  /// Whether it is a sensor with a name of its own, or that of a motor's joint.
  bool is_sensor() const { return turn_ == Turn::PositionSensor || turn_ == Turn::BodySensor; }
  /// Binds it to the same node's new description and to its scene; what was commanded and measured
  /// stays, within the new limits.
  virtual void rebind(const DeviceBinding& binding) = 0;
  /// Acts before the physics of a step of `h` [s].
  virtual void before_step(double h);
  /// Measures if that is due, after a step that has ended at `now_ms` [ms].
  void after_step(double now_ms) {
    if (follows_) {
      follow();
    }
    if (sampler_.due(now_ms) && powered_) {
      measure(now_ms);
    }
  }
  /// A command of its controller. By default a device takes the one that enables it.
  /// @throws std::invalid_argument for a bad value; nothing has changed then.
  virtual CommandEffect command(const DeviceCommand& command, double now_ms);
  /// Adds what its controller and a Supervisor may set, in a fixed order.
  virtual void list_settings(std::vector<DeviceSetting>& settings) const;
  /// Sets a value that list_settings() names; others are ignored.
  /// @throws std::invalid_argument for a bad value.
  virtual void set(std::string_view field, std::span<const double> numbers);
  /// Ends what it is commanded to do, as when a Supervisor loads the state of its node.
  virtual void restart() {}
  /// An action that gives it the settings of now again, after a Supervisor's reset. A sensor that
  /// is enabled then measures at once.
  virtual std::function<void()> keep_settings();
  /// Saves, restores or hashes all that changes while it runs.
  void archive(DeviceArchive& archive);
  /// Off: it has no samples, and does nothing that takes power.
  virtual void set_power(bool on) { powered_ = on; }
  /// What it takes from a battery [W], by the effort of now.
  virtual double power_consumption() { return 0.0; }

 protected:
  /// `follows`: whether follow() does anything.
  explicit Device(Turn turn, bool follows = false) : turn_(turn), follows_(follows) {}

  /// Is called after each step, before it measures.
  virtual void follow();
  /// Stores a sample in sampler_, unless its node is gone.
  virtual void measure(double now_ms);
  /// Lists all that changes but the two members below.
  virtual void archive_state(DeviceArchive& archive);

  Sampler sampler_;
  bool powered_ = true;

 private:
  Turn turn_;
  bool follows_;
};

}  // namespace servosim
