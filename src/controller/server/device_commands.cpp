// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <stdexcept>

#include "controller/server/session.h"
#include "scene/scene.h"

// What a controller tells its robot.

namespace servosim {

const Device& Session::device(const Command& command) const {
  if (command.tag == 0 || command.tag > robot_.devices().size()) {
    throw std::invalid_argument("a command for a device that does not exist");
  }
  return robot_.devices()[command.tag - 1u];
}

Motor& Session::motor(const Command& command) const {
  const Device& found = device(command);
  if (found.motor == nullptr) {
    throw std::invalid_argument("a motor command for a device that is no motor");
  }
  return *found.motor;
}

void Session::apply(const Command& command) {
  switch (command.kind) {
    case CommandKind::BatterySampling:
    case CommandKind::Pin:
    case CommandKind::CustomData:
    case CommandKind::Quit:
      return apply_to_robot(command);
    case CommandKind::Channel:
    case CommandKind::Range:
    case CommandKind::Send:
      return apply_to_radio(command);
    case CommandKind::WheelSpeeds:
    case CommandKind::SetEncoders:
    case CommandKind::EncoderSampling:
      return apply_to_wheels(command);
    case CommandKind::Lock:
      return apply_to_connector(command);
    case CommandKind::Led:
      return apply_to_led(command);
    case CommandKind::Sampling:
      return set_sampling(device(command), command.integer);
    case CommandKind::BrakeDamping:
      if (device(command).brake == nullptr) {
        throw std::invalid_argument("a brake command for a device that is no brake");
      }
      return device(command).brake->set_damping_constant(command.numbers[0]);
    default:
      return apply_to_motor(command);
  }
}

// A device that is not simulated takes any period and never has a sample.
void Session::set_sampling(const Device& device, int period_ms) {
  if (device.sensor != nullptr) {
    device.sensor->enable(period_ms, now_ms());
  } else if (device.solid_sensor != nullptr) {
    device.solid_sensor->enable(period_ms, now_ms());
  } else if (device.receiver != nullptr) {
    device.receiver->enable(period_ms, now_ms());
  } else if (device.connector != nullptr) {
    device.connector->enable_presence(period_ms, now_ms());
  } else if (device.joint >= 0) {
    throw std::invalid_argument("a sensor command for a device that measures nothing");
  }
}

void Session::apply_to_robot(const Command& command) {
  if (command.tag != 0) {
    throw std::invalid_argument("a command of the robot for one of its devices");
  }
  switch (command.kind) {
    case CommandKind::BatterySampling:
      if (!robot_.spec().battery.empty()) {
        battery_.enable(command.integer, now_ms());
      }
      return;
    case CommandKind::Pin:
      return simulation_.pin_robot(robot_.index(), command.integer != 0);
    case CommandKind::CustomData:
      custom_data_ = command.text;
      return share_custom_data();
    default:
      if (!robot_.spec().supervisor) {
        throw std::invalid_argument("a quit from a robot that is no supervisor");
      }
      quit_status_ = command.integer;
  }
}

void Session::apply_to_motor(const Command& command) {
  Motor& target = motor(command);
  const double number = command.numbers[0];
  switch (command.kind) {
    case CommandKind::Position:
      return target.set_position(number);
    case CommandKind::Velocity:
      return target.set_velocity(number);
    case CommandKind::AvailableForce:
      return target.set_available_force(number);
    case CommandKind::Force:
      return target.set_force(number);
    case CommandKind::ForceFeedback:
      return target.enable_force_feedback(command.integer, now_ms());
    case CommandKind::Acceleration:
      target.set_acceleration(number);
      break;
    default:
      target.set_control_pid({number, command.numbers[1], command.numbers[2]});
  }
  tell_again(command);  // the controller's copy is overwritten after these two, as in Webots
}

// Packets between a controller and the emitters and receivers of its robot.

namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kPacketOverhead = 48;  // [bytes] beside its data

}  // namespace

void Session::add_radio(std::uint16_t tag, const Device& device) {
  if (device.emitter != nullptr) {
    emissions_.push_back({tag, device.emitter.get(), kUnknown});
  }
  if (device.receiver != nullptr) {
    receptions_.push_back({tag, device.receiver.get()});
  }
}

// A packet that finds no room is lost: an honest controller has counted.
void Session::apply_to_radio(const Command& command) {
  const Device& target = device(command);
  if (command.kind == CommandKind::Channel) {
    if (target.receiver == nullptr && target.emitter == nullptr) {
      throw std::invalid_argument("a channel for a device that is neither emitter nor receiver");
    }
    target.set_channel(command.integer);
    return tell_again(command, "channel");
  }
  if (target.emitter == nullptr) {
    throw std::invalid_argument("a packet or a range for a device that is no emitter");
  }
  if (command.kind == CommandKind::Range) {
    target.emitter->set_range(command.numbers[0]);
    return tell_again(command, "range");
  }
  target.emitter->send(as_bytes(command.text), command.integer, command.numbers[0], now_ms());
  for (Emission& emission : emissions_) {
    if (emission.tag == command.tag) {
      emission.reported = kUnknown;
    }
  }
}

// What is too much for one answer comes with the next.
void Session::write_radio() {
  for (Emission& emission : emissions_) {
    if (emission.reported != emission.emitter->waiting_bytes()) {
      emission.reported = emission.emitter->waiting_bytes();
      encode_reading(
          writer_,
          {emission.tag, ReadingKind::Sample, {static_cast<double>(emission.reported)}, 1, {}});
    }
  }
  std::size_t written = 0;
  for (const Reception& reception : receptions_) {
    Receiver& receiver = *reception.receiver;
    while (!receiver.queue().empty() &&
           written + receiver.queue().front().data.size() <= kMaxPacketBytes) {
      const Packet packet = receiver.take();
      const Vec3& to = packet.direction;
      encode_reading(writer_, {reception.tag,
                               ReadingKind::Packet,
                               {packet.signal_strength, to.x, to.y, to.z},
                               0,
                               as_text(packet.data)});
      written += packet.data.size() + kPacketOverhead;
    }
  }
}

}  // namespace servosim
