// SPDX-License-Identifier: Apache-2.0
// Packets between a controller and the emitters and receivers of its robot.
#include <limits>
#include <stdexcept>

#include "controller/session.h"

namespace servosim {

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
      emission.told = kUnknown;
    }
  }
}

// What is too much for one answer comes with the next.
void Session::write_radio() {
  for (Emission& emission : emissions_) {
    if (emission.told != emission.emitter->waiting_bytes()) {
      emission.told = emission.emitter->waiting_bytes();
      encode_reading(
          writer_,
          {emission.tag, ReadingKind::Sample, {static_cast<double>(emission.told)}, 1, {}});
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
