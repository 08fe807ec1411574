// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

// The messages of Radio nodes: packets of an Emitter to all Receivers of its channel.

namespace servosim {

struct RadioMessage {
  double tx_power = 0.0;   ///< [dBm]
  double frequency = 0.0;  ///< [Hz]
  std::string source;
  std::string destination;
  std::string body;
};

std::string encode_radio_message(const RadioMessage& message);
/// Nothing if the packet is no message of a Radio.
std::optional<RadioMessage> decode_radio_message(std::string_view packet);

/// Whether the receiver is addressed: by the same address, by none, or by the broadcast address.
bool is_for(const std::string& destination, const std::string& address);
/// The received power in free space [dBm]; `strength` is 1 / distance².
double received_power(const RadioMessage& message, double strength);

/// Calls the callbacks with the messages that have arrived. It runs after each step, while the
/// client is not locked.
void deliver_radio_messages();

}  // namespace servosim
