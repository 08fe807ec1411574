// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "controller/headless_device.h"

// What the C functions of Emitter and Receiver have in common.

namespace servosim {

inline constexpr std::size_t kPacketHead = 32;  // [bytes] of a packet in a message, at most

/// @throws CallError for a channel that the device may not have
inline void set_channel(ClientDevice& device, int channel) {
  refuse(channel < -1, "the channel is smaller than -1.");
  const std::vector<double>& allowed = device.field("allowedChannels").numbers;
  refuse(!allowed.empty() && std::find(allowed.begin(), allowed.end(), channel) == allowed.end(),
         "the channel is none of the field allowedChannels.");
  device.setting("channel") = channel;
}

}  // namespace servosim
