// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/radio_message.h"

#include <cmath>
#include <cstring>
#include <numbers>

namespace servosim {

namespace {

constexpr double kLight = 299792458.0;  // [m/s]
constexpr std::size_t kMessageHead = 2 * sizeof(double);

// Takes the text before the first zero byte, and that byte, from `bytes`.
std::optional<std::string> take_text(std::string_view& bytes) {
  const std::size_t end = bytes.find('\0');
  if (end == bytes.npos) {
    return std::nullopt;
  }
  std::string text(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return text;
}

}  // namespace

std::string encode_radio_message(const RadioMessage& message) {
  std::string packet(kMessageHead, '\0');
  std::memcpy(packet.data(), &message.tx_power, sizeof(double));
  std::memcpy(packet.data() + sizeof(double), &message.frequency, sizeof(double));
  packet.append(message.source).append(1, '\0');
  packet.append(message.destination).append(1, '\0');
  return packet + message.body;
}

std::optional<RadioMessage> decode_radio_message(std::string_view packet) {
  RadioMessage message;
  if (packet.size() < kMessageHead) {
    return std::nullopt;
  }
  std::memcpy(&message.tx_power, packet.data(), sizeof(double));
  std::memcpy(&message.frequency, packet.data() + sizeof(double), sizeof(double));
  packet.remove_prefix(kMessageHead);
  auto source = take_text(packet);
  auto destination = take_text(packet);
  if (!source || !destination) {
    return std::nullopt;
  }
  message.source = std::move(*source);
  message.destination = std::move(*destination);
  message.body = packet;
  return message;
}

bool is_for(const std::string& destination, const std::string& address) {
  return destination.empty() || destination == "255.255.255.255" || destination == address;
}

double received_power(const RadioMessage& message, double strength) {
  // The factor of a meter, times 4π.
  const double waves = 4.0 * std::numbers::pi * message.frequency / kLight;
  return message.tx_power - 20.0 * std::log10(waves / std::sqrt(strength));
}

}  // namespace servosim
