// SPDX-License-Identifier: Apache-2.0
#include "controller/server/device_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "base/assert.h"
#include "sim/simulation_core.h"

namespace servosim {

const Device& DeviceCommands::device(const Command& command) const {
  if (command.tag == 0 || command.tag > robot_.devices().size()) {
    throw std::invalid_argument("a command for a device that does not exist");
  }
  return robot_.devices()[command.tag - 1u];
}

Motor& DeviceCommands::motor(const Command& command) const {
  const Device& found = device(command);
  if (found.motor == nullptr) {
    throw std::invalid_argument("a motor command for a device that is no motor");
  }
  return *found.motor;
}

DifferentialWheels& DeviceCommands::wheels(const Command& command) const {
  if (command.tag != 0 || robot_.wheels() == nullptr) {
    throw std::invalid_argument("a command of a DifferentialWheels for something else");
  }
  return *robot_.wheels();
}

Emitter& DeviceCommands::emitter(const Command& command) const {
  const Device& found = device(command);
  if (found.emitter == nullptr) {
    throw std::invalid_argument("a packet or a range for a device that is no emitter");
  }
  return *found.emitter;
}

void DeviceCommands::apply(const Command& command) {
  const double number = command.numbers[0];
  const double now = time_ms(simulation_);
  switch (command.kind) {
    case CommandKind::Position:
      return motor(command).set_position(number);
    case CommandKind::Velocity:
      return motor(command).set_velocity(number);
    case CommandKind::AvailableForce:
      return motor(command).set_available_force(number);
    case CommandKind::Force:
      return motor(command).set_force(number);
    case CommandKind::ForceFeedback:
      return motor(command).enable_force_feedback(command.integer, now);
    case CommandKind::Acceleration:
      motor(command).set_acceleration(number);
      // As in Webots, the controller's copy is overwritten after this kind of command and the next
      // one.
      return descriptions_.describe_again(command.tag);
    case CommandKind::ControlPid:
      motor(command).set_control_pid({number, command.numbers[1], command.numbers[2]});
      return descriptions_.describe_again(command.tag);
    case CommandKind::Sampling:
      return set_sampling(device(command), command.integer);
    case CommandKind::BrakeDamping:
      return set_brake(command);
    case CommandKind::Lock:
      return set_lock(command);
    case CommandKind::Channel:
      return set_channel(command);
    case CommandKind::Range:
      emitter(command).set_range(number);
      return descriptions_.describe_again(command.tag, "range");
    case CommandKind::Send:
      // libController counts bytes and never sends a packet without room; if one comes, it is lost.
      emitter(command).send(as_bytes(command.text), command.integer, number, now);
      return samples_.packet_was_sent(command.tag);
    case CommandKind::WheelSpeeds:
      return wheels(command).set_speed(number, command.numbers[1]);
    case CommandKind::SetEncoders:
      return wheels(command).set_encoders(number, command.numbers[1]);
    case CommandKind::EncoderSampling:
      return wheels(command).enable_encoders(command.integer, now);
    case CommandKind::Led:
      return set_led(command);
    case CommandKind::BlindRead:
      return keep_blind_read(command);
    case CommandKind::BatterySampling:
    case CommandKind::Pin:
    case CommandKind::CustomData:
    case CommandKind::Quit:
      SERVOSIM_ASSERT(target_of(command.kind) != CommandTarget::Robot,
                      "command {} is not for a device", name_of(command.kind));
  }
}

// A device that is not simulated accepts every period and never has a sample.
void DeviceCommands::set_sampling(const Device& device, int period_ms) {
  const double now = time_ms(simulation_);
  if (device.sensor != nullptr) {
    device.sensor->enable(period_ms, now);
  } else if (device.body_sensor != nullptr) {
    device.body_sensor->enable(period_ms, now);
  } else if (device.receiver != nullptr) {
    device.receiver->enable(period_ms, now);
  } else if (device.connector != nullptr) {
    device.connector->enable_presence(period_ms, now);
  } else if (device.joint >= 0) {
    throw std::invalid_argument("a sensor command for a device that measures nothing");
  }
}

void DeviceCommands::set_channel(const Command& command) {
  const Device& found = device(command);
  if (found.receiver == nullptr && found.emitter == nullptr) {
    throw std::invalid_argument("a channel for a device that is neither emitter nor receiver");
  }
  found.set_channel(command.integer);
  descriptions_.describe_again(command.tag, "channel");
}

void DeviceCommands::set_brake(const Command& command) {
  const Device& found = device(command);
  if (found.brake == nullptr) {
    throw std::invalid_argument("a brake command for a device that is no brake");
  }
  found.brake->set_damping_constant(command.numbers[0]);
}

void DeviceCommands::set_lock(const Command& command) {
  const Device& found = device(command);
  if (found.connector == nullptr) {
    throw std::invalid_argument("a connector command for a device that is no connector");
  }
  command.integer != 0 ? found.connector->lock() : found.connector->unlock();
  descriptions_.describe_again(command.tag,
                               found.node_type == "VacuumGripper" ? "isOn" : "isLocked");
}

void DeviceCommands::set_led(const Command& command) {
  const Device& found = device(command);
  if (found.led == nullptr) {
    throw std::invalid_argument("an LED command for a device that is no LED");
  }
  found.led->set(command.integer);
  descriptions_.describe_again(command.tag, kLedValue);  // a reset after the step may undo it
}

// What the controller does from now on follows from a picture or a sound that is not there.
void DeviceCommands::keep_blind_read(const Command& command) {
  static constexpr std::array<std::string_view, 6> kBlind{"Camera", "RangeFinder", "Lidar",
                                                          "Radar",  "Display",     "Microphone"};
  const Device& found = device(command);
  if (std::find(kBlind.begin(), kBlind.end(), found.node_type) == kBlind.end()) {
    throw std::invalid_argument("a picture or sound that is read of a device that has none");
  }
  const bool hears = found.node_type == "Microphone";
  core_of(simulation_)
      .keep_missing({hears ? Missing::Sounds : Missing::Pictures,
                     fmt::format("what {} \"{}\" of robot '{}' {}", found.node_type, found.name,
                                 robot_.name(), hears ? "hears" : "sees"),
                     fmt::format("its controller has read it, and {}",
                                 hears ? "servosim makes no sounds" : "nothing is drawn")});
}

}  // namespace servosim
