// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

// What Radio nodes send each other, as a packet of an Emitter to all Receivers of its channel.

namespace servosim {

struct RadioMessage {
  double tx_power = 0.0;   ///< [dBm]
  double frequency = 0.0;  ///< [Hz]
  std::string source;
  std::string destination;
  std::string body;
};

std::string encode_radio_message(const RadioMessage& message);
/// Nothing for what is none.
std::optional<RadioMessage> decode_radio_message(std::string_view packet);

/// The receiver may be meant: the same address, or none, or all of them.
bool is_for(const std::string& destination, const std::string& address);
/// How strong it arrives in free space [dBm]; `strength` is 1 / distance².
double received_power(const RadioMessage& message, double strength);

/// Calls the functions that wait for messages. After each step, with the client unlocked.
void deliver_radio_messages();

}  // namespace servosim
