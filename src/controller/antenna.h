// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "controller/headless_device.h"

// What the C functions of Emitter, Receiver and Radio have in common.

namespace servosim {

inline constexpr std::size_t kPacketHead = 32;  // [bytes] of a packet in a message, at most

/// Also in the simulation, with the next step. @throws CallError for a channel that the device may
/// not have
inline void set_channel(ClientDevice& device, int channel) {
  refuse(channel < -1, "the channel is smaller than -1.");
  const std::vector<double>& allowed = device.field("allowedChannels").numbers;
  refuse(!allowed.empty() && std::find(allowed.begin(), allowed.end(), channel) == allowed.end(),
         "the channel is none of the field allowedChannels.");
  device.setting("channel") = channel;
  Client::request(device, CommandKind::Channel);
}

inline std::size_t outgoing_bytes(const ClientDevices& devices) {
  std::size_t bytes = 0;
  for (const ClientDevice& device : devices) {
    for (const OutgoingPacket& packet : device.outgoing) {
      bytes += packet.data.size() + kPacketHead;
    }
  }
  return bytes;
}

/// Sends a packet with the next step, on the device's channel. @throws CallError when these are too
/// many
inline void transmit(Client& client, ClientDevice& device, double range, std::string data) {
  refuse(outgoing_bytes(client.devices()) + data.size() + kPacketHead > kMaxPacketBytes,
         "the packets of one step are larger than 8 MiB.");
  device.outgoing.push_back({static_cast<int>(device.number("channel")), range, std::move(data)});
  Client::request(device, CommandKind::Send);
}

}  // namespace servosim
