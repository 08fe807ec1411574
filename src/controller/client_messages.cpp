// SPDX-License-Identifier: Apache-2.0
// What goes with the request for a step, and what comes with its answer.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "controller/client.h"

namespace servosim {

namespace {

// The value of `kind` that `device` holds.
Command command_of(WbDeviceTag tag, const ClientDevice& device, CommandKind kind) {
  Command command{tag, kind, {}, 0, {}};
  const auto number = [&](double value) { command.numbers[0] = value; };
  switch (kind) {
    case CommandKind::Position:
      number(device.motor.position);
      break;
    case CommandKind::Velocity:
      number(device.motor.velocity);
      break;
    case CommandKind::AvailableForce:
      number(device.motor.available_force);
      break;
    case CommandKind::Force:
      number(device.force);
      break;
    case CommandKind::ForceFeedback:
      command.integer = device.feedback_period_ms;
      break;
    case CommandKind::Acceleration:
      number(device.motor.acceleration);
      break;
    case CommandKind::ControlPid:
      command.numbers = device.motor.pid;
      break;
    case CommandKind::Sampling:
      command.integer = device.period_ms;
      break;
    case CommandKind::BrakeDamping:
      number(device.brake_damping);
      break;
    case CommandKind::Lock:
      command.integer = device.number(device.lock_field()) != 0.0 ? 1 : 0;
      break;
    case CommandKind::Led:
      command.integer = static_cast<int>(device.number(kLedValue));
      break;
    case CommandKind::Channel:
      command.integer = static_cast<int>(device.number("channel"));
      break;
    case CommandKind::Range:
      number(device.number("range"));
      break;
    default:  // the others are the robot's
      break;
  }
  return command;
}

}  // namespace

void Client::write_requests() {
  write_robot_requests();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].requests != 0) {
      write_device_requests(static_cast<WbDeviceTag>(i + 1), devices_[i]);
    }
  }
}

void Client::write_robot_requests() {
  const std::uint32_t requests = std::exchange(robot_.requests, 0u);
  const auto send = [&](CommandKind kind, std::int32_t integer, std::string_view text = {}) {
    if ((requests & bit(kind)) != 0) {
      encode_command(writer_, {0, kind, {}, integer, text});
    }
  };
  if ((requests & bit(CommandKind::BatterySampling)) != 0) {
    // As in Webots, from sending the period to the first sample; -1 for ever without a battery.
    robot_.battery = robot_.has_battery ? 0.0 : -1.0;
  }
  send(CommandKind::BatterySampling, robot_.battery_period_ms);
  send(CommandKind::Pin, robot_.pinned ? 1 : 0);
  send(CommandKind::CustomData, 0, robot_.custom_data);
  send(CommandKind::Quit, robot_.quit_status);
  const auto send_pair = [&](CommandKind kind, const std::array<double, 2>& pair) {
    if ((requests & bit(kind)) != 0) {
      encode_command(writer_, {0, kind, {pair[0], pair[1]}, 0, {}});
    }
  };
  send_pair(CommandKind::WheelSpeeds, robot_.wheel_speeds);
  send_pair(CommandKind::SetEncoders, robot_.encoders_to_set);
  send(CommandKind::EncoderSampling, robot_.encoder_period_ms);
}

void Client::write_device_requests(WbDeviceTag tag, ClientDevice& device) {
  const std::uint32_t requests = std::exchange(device.requests, 0u);
  for (auto kind = CommandKind::Position; kind <= CommandKind::Led;
       kind = static_cast<CommandKind>(static_cast<unsigned>(kind) + 1)) {
    if ((requests & bit(kind)) != 0) {
      encode_command(writer_, command_of(tag, device, kind));
    }
  }
  for (const OutgoingPacket& packet : device.outgoing) {
    encode_command(writer_, {tag, CommandKind::Send, {packet.range}, packet.channel, packet.data});
  }
  device.outgoing.clear();
}

void Client::take_reading(const Reading& reading) {
  if (reading.kind == ReadingKind::Battery) {
    robot_.battery = reading.numbers[0];
    return;
  }
  if (reading.tag == 0 && reading.kind == ReadingKind::Sample && reading.count == 2) {
    robot_.encoders = {reading.numbers[0], reading.numbers[1]};
    return;
  }
  if (reading.kind == ReadingKind::CustomData) {
    if ((robot_.requests & bit(CommandKind::CustomData)) == 0) {  // what was set since stays
      robot_.custom_data = reading.text;
    }
    return;
  }
  if (reading.kind == ReadingKind::Tracked) {
    return tracked_.take(reading.tag, reading.text);
  }
  if (reading.kind == ReadingKind::NewDevice) {
    if (WelcomeDevice device;
        reading.tag == devices_.size() + 1 && decode_setup(reading.text, device)) {
      devices_.push_back(make_device(device));
    }
    return;
  }
  if (reading.tag == 0 || reading.tag > devices_.size()) {
    return;
  }
  ClientDevice& device = devices_[reading.tag - 1u];
  if (reading.kind == ReadingKind::Sample) {
    std::copy_n(reading.numbers.begin(), reading.count, device.values.begin());
  } else if (reading.kind == ReadingKind::Packet) {
    device.take_packet(reading.text, std::span<const double, 4>(reading.numbers.data(), 4));
  } else if (reading.kind == ReadingKind::ForceFeedback) {
    device.measured_force = reading.numbers[0];
  } else if (reading.kind == ReadingKind::Setup) {
    take_setup(device, reading.text);
  }
}

// What was set since the request was sent stays.
void Client::take_setup(ClientDevice& device, std::string_view text) {
  WelcomeDevice now;
  if (!decode_setup(text, now)) {
    return;
  }
  const auto keep = [&](CommandKind kind) { return (device.requests & bit(kind)) != 0; };
  const WelcomeMotor was = std::exchange(device.motor, now.motor);
  // A motor that was not told otherwise has all the force there is.
  device.motor.available_force = was.available_force == was.max_force
                                     ? now.motor.max_force
                                     : std::min(was.available_force, now.motor.max_force);
  device.motor.position = keep(CommandKind::Position) ? was.position : now.motor.position;
  device.motor.velocity = keep(CommandKind::Velocity) ? was.velocity : now.motor.velocity;
  device.motor.acceleration =
      keep(CommandKind::Acceleration) ? was.acceleration : now.motor.acceleration;
  device.motor.pid = keep(CommandKind::ControlPid) ? was.pid : now.motor.pid;
  for (const WelcomeField& field : now.fields) {
    const bool stays = (field.name == "channel" && keep(CommandKind::Channel)) ||
                       (field.name == "range" && keep(CommandKind::Range)) ||
                       (field.name == device.lock_field() && keep(CommandKind::Lock)) ||
                       (field.name == kLedValue && keep(CommandKind::Led));
    if (!stays) {
      device.put({std::string(field.name), std::string(field.text), field.numbers});
    }
  }
}

}  // namespace servosim
