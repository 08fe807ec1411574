// SPDX-License-Identifier: Apache-2.0
#include "bus/client/bus_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace servosim::bus {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// An adapter may keep bytes for this time before it hands them on, in each direction [s].
constexpr double kLatency = 0.017;
// The longest return delay that a register has room for [s].
constexpr double kMaxReturnDelay = 0.00051;
// After a ping for all, each servo waits for its turn [s].
constexpr double kPingSlot = 0.003;
constexpr std::size_t kMaxServos = 253;
constexpr std::size_t kWideFrame = 11;  // of a status without parameters
constexpr std::size_t kNarrowFrame = 6;
constexpr std::size_t kPingData = 3;  // of a wide ping: model number and firmware

constexpr std::string_view kNumberedErrors[] = {"",
                                                "it cannot do that now",
                                                "it does not know the instruction",
                                                "the CRC",
                                                "a value out of its range",
                                                "too few bytes for the register",
                                                "a value beyond a limit register",
                                                "the register cannot be written, or not now"};
constexpr std::string_view kDynamixel1Errors[] = {
    "input voltage", "angle limit", "overheating", "range", "checksum", "overload", "instruction"};
constexpr std::string_view kFeetechErrors[] = {
    "input voltage", "angle sensor", "overheating", "overcurrent", "", "overload"};

}  // namespace

std::vector<BusPacket> BusClient::exchange(const BusRequest& request, std::size_t count,
                                           std::size_t data) {
  const BusPacket packet = to_packet(*protocol_, request);
  const Octets bytes = encode(*protocol_, packet);
  port_->discard();
  port_->send(bytes);
  const std::size_t frame = protocol_->is_wide ? kWideFrame : kNarrowFrame;
  const bool asks_all = request.instruction == Instruction::Ping && request.id == kBroadcast;
  const auto answers = static_cast<double>(count);
  const double wait =
      byte_time(port_->baud()) * static_cast<double>(bytes.size() + count * (frame + data)) +
      answers * (asks_all ? kPingSlot : kMaxReturnDelay) + 2.0 * kLatency;
  const auto end =
      SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(Seconds(wait));
  PacketReader reader(*protocol_, BusSide::Client);
  std::vector<BusPacket> found;
  bool is_echoed = false;
  while (found.size() < count) {
    const Octets received = port_->receive(end);
    reader.feed(received);
    while (auto next = reader.next()) {
      if (!next->is_intact) {
        continue;
      }
      // An adapter for one wire hears what it has sent, which looks like a status where the
      // protocol has no code for statuses.
      const bool is_echo = !is_echoed && next->packet.id == packet.id &&
                           next->packet.code == packet.code &&
                           next->packet.parameters == packet.parameters &&
                           !(protocol_->is_wide && next->packet.is_status);
      is_echoed = is_echoed || is_echo;
      const bool is_from_it = request.id == kBroadcast || next->packet.id == request.id;
      if (!is_echo && next->packet.is_status && is_from_it) {
        found.push_back(std::move(next->packet));
      }
    }
    if (received.empty() && SteadyClock::now() >= end) {
      break;
    }
  }
  return found;
}

std::optional<FoundServo> BusClient::ping(std::uint8_t id) {
  const std::size_t data = protocol_->is_wide ? kPingData : 0;
  const auto answers = exchange(
      {.instruction = Instruction::Ping, .id = id, .accesses = {}, .parameters = {}}, 1, data);
  if (answers.empty()) {
    return std::nullopt;
  }
  FoundServo servo;
  servo.id = answers[0].id;
  servo.status = answers[0].code;
  if (const Octets& p = answers[0].parameters; p.size() >= kPingData) {
    servo.model = p[0] + 256 * p[1];
    servo.firmware = p[2];
  }
  return servo;
}

std::vector<FoundServo> BusClient::ping_all() {
  const auto answers = exchange(
      {.instruction = Instruction::Ping, .id = kBroadcast, .accesses = {}, .parameters = {}},
      kMaxServos, kPingData);
  std::vector<FoundServo> found;
  for (const BusPacket& each : answers) {
    FoundServo servo{.id = each.id, .status = each.code, .model = {}, .firmware = {}};
    if (const Octets& p = each.parameters; p.size() >= kPingData) {
      servo.model = p[0] + 256 * p[1];
      servo.firmware = p[2];
    }
    found.push_back(servo);
  }
  return found;
}

// @throws BusError without an answer, or if the servo refuses
BusPacket BusClient::answer_of(std::uint8_t id, const BusRequest& request, std::size_t data,
                               const std::string& what) {
  const auto answers = exchange(request, 1, data);
  if (answers.empty()) {
    throw BusError(fmt::format("servo {} does not answer: {}", id, what));
  }
  // Alerts and alarms do not mean that the request was refused.
  const std::uint8_t error = answers[0].code;
  const bool is_refused = protocol_->has_alert_bit
                              ? (error & 0x7F) != 0
                              : protocol_ == &kDynamixel1 && (error & 0x5A) != 0;
  if (is_refused) {
    throw BusError(fmt::format("servo {} refuses: {}: {}", id, what, error_text(error)));
  }
  return answers[0];
}

Octets BusClient::read(std::uint8_t id, std::uint16_t address, std::uint16_t count) {
  const std::string what = fmt::format("read {} bytes at {}", count, address);
  const BusRequest request{.instruction = Instruction::Read,
                           .id = id,
                           .accesses = {{.id = id, .address = address, .count = count, .data = {}}},
                           .parameters = {}};
  Octets bytes = answer_of(id, request, count, what).parameters;
  if (bytes.size() != count) {
    throw BusError(fmt::format("servo {} answers with {} bytes: {}", id, bytes.size(), what));
  }
  return bytes;
}

std::vector<Octets> BusClient::read_all(const std::vector<std::uint8_t>& ids, std::uint16_t address,
                                        std::uint16_t count) {
  std::vector<Octets> all(ids.size());
  if (protocol_->find(Instruction::SyncRead) == nullptr) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      all[i] = read(ids[i], address, count);
    }
    return all;
  }
  BusRequest request{
      .instruction = Instruction::SyncRead, .id = kBroadcast, .accesses = {}, .parameters = {}};
  for (const std::uint8_t id : ids) {
    request.accesses.push_back({.id = id, .address = address, .count = count, .data = {}});
  }
  for (BusPacket& answer : exchange(request, ids.size(), count)) {
    const auto at = std::find(ids.begin(), ids.end(), answer.id);
    if (at != ids.end() && answer.parameters.size() == count) {
      all[static_cast<std::size_t>(at - ids.begin())] = std::move(answer.parameters);
    }
  }
  return all;
}

void BusClient::write(std::uint8_t id, std::uint16_t address, const Octets& bytes) {
  const BusRequest request{.instruction = Instruction::Write,
                           .id = id,
                           .accesses = {{.id = id,
                                         .address = address,
                                         .count = static_cast<std::uint16_t>(bytes.size()),
                                         .data = bytes}},
                           .parameters = {}};
  answer_of(id, request, 0, fmt::format("write {} bytes at {}", bytes.size(), address));
}

std::string BusClient::error_text(std::uint8_t error) const {
  if (protocol_->has_alert_bit) {
    const std::uint8_t number = error & 0x7F;
    std::string text = number < std::size(kNumberedErrors) ? std::string(kNumberedErrors[number])
                                                           : fmt::format("error {}", number);
    if ((error & 0x80) != 0) {
      text += text.empty() ? "alert: see Hardware Error Status"
                           : ", and an alert: see Hardware Error Status";
    }
    return text;
  }
  const std::span<const std::string_view> names =
      protocol_ == &kDynamixel1 ? std::span<const std::string_view>(kDynamixel1Errors)
                                : std::span<const std::string_view>(kFeetechErrors);
  std::string text;
  for (std::size_t bit = 0; bit < 8; ++bit) {
    if ((error >> bit & 1) != 0) {
      const bool has_name = bit < names.size() && !names[bit].empty();
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          has_name ? std::string(names[bit]) : fmt::format("bit {}", bit));
    }
  }
  return text;
}

}  // namespace servosim::bus
