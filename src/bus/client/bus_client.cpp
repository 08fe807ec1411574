// SPDX-License-Identifier: Apache-2.0
#include "bus/client/bus_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace servosim::bus {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// An adapter may keep bytes for this time before it hands them on, in each direction [s].
constexpr double kLatency = 0.017;
// The maker's client of Feetech waits for this time [s].
constexpr double kFeetechWait = 0.05;
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
constexpr std::uint8_t kDynamixel1Alarms = 0x25;  // the other errors are those of a request
constexpr std::string_view kDynamixel1Errors[] = {
    "input voltage", "angle limit", "overheating", "range", "checksum", "overload", "instruction"};
constexpr std::string_view kFeetechErrors[] = {
    "input voltage", "angle sensor", "overheating", "overcurrent", "", "overload"};

}  // namespace

void pause_until(SteadyClock::time_point end, const std::function<void()>& check) {
  constexpr std::chrono::milliseconds kSlice{50};
  for (auto now = SteadyClock::now(); now < end; now = SteadyClock::now()) {
    std::this_thread::sleep_until(std::min(end, now + kSlice));
    check();
  }
}

double BusClient::wait_for(const BusRequest& request, std::size_t sent, std::size_t count,
                           std::size_t data) const {
  const std::size_t frame = protocol_->is_wide ? kWideFrame : kNarrowFrame;
  const bool asks_all = request.instruction == Instruction::Ping && request.id == kBroadcast;
  return byte_time(port_->baud()) * static_cast<double>(sent + count * (frame + data)) +
         static_cast<double>(count) * (asks_all ? kPingSlot : kMaxReturnDelay) +
         (protocol_->is_feetech() ? kFeetechWait : 2.0 * kLatency);
}

// An adapter for one wire hears what it has sent. Where the protocol has no code for statuses, that
// looks like a status; and a status can have the same bytes as a ping.
bool BusClient::is_as_sent(const BusPacket& sent, const BusPacket& packet) const {
  return packet.id == sent.id && packet.code == sent.code && packet.parameters == sent.parameters &&
         !(protocol_->is_wide && packet.is_status);
}

std::vector<BusPacket> BusClient::exchange(const BusRequest& request, std::size_t count,
                                           std::size_t data) {
  const BusPacket packet = to_packet(*protocol_, request);
  const Octets bytes = encode(*protocol_, packet);
  port_->discard();
  port_->send(bytes);
  const auto end = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                            Seconds(wait_for(request, bytes.size(), count, data)));
  PacketReader reader(*protocol_, BusSide::Client);
  std::vector<BusPacket> found;
  std::optional<BusPacket> as_sent;  // an echo, or the answer
  while (found.size() < count) {
    reader.feed(port_->receive(end));
    while (auto next = reader.next()) {
      if (!next->is_intact) {
        continue;
      }
      if (!as_sent && found.empty() && port_->known_echo() != false &&
          is_as_sent(packet, next->packet)) {
        as_sent = std::move(next->packet);
      } else if (next->packet.is_status &&
                 (request.id == kBroadcast || next->packet.id == request.id)) {
        found.push_back(std::move(next->packet));
      }
    }
    if (SteadyClock::now() >= end) {
      break;
    }
  }
  if (as_sent && as_sent->is_status && found.size() < count && !port_->has_echo()) {
    found.insert(found.begin(), std::move(*as_sent));
  }
  for (const BusPacket& each : found) {
    const std::uint8_t kinds = protocol_->has_alert_bit    ? 0x80
                               : protocol_ == &kDynamixel1 ? kDynamixel1Alarms
                                                           : 0xFF;
    alarms_[each.id] = each.code & kinds;
  }
  return found;
}

// What the answer to a ping says.
static FoundServo found_servo(const BusPacket& answer) {
  FoundServo servo{.id = answer.id, .status = answer.code, .model = {}, .firmware = {}};
  if (const Octets& p = answer.parameters; p.size() >= kPingData) {
    servo.model = p[0] + 256 * p[1];
    servo.firmware = p[2];
  }
  return servo;
}

std::optional<FoundServo> BusClient::ping(std::uint8_t id) {
  const std::size_t data = protocol_->is_wide ? kPingData : 0;
  const auto answers = exchange(
      {.instruction = Instruction::Ping, .id = id, .accesses = {}, .parameters = {}}, 1, data);
  if (answers.empty()) {
    return std::nullopt;
  }
  return found_servo(answers[0]);
}

std::vector<FoundServo> BusClient::ping_all() {
  const auto answers = exchange(
      {.instruction = Instruction::Ping, .id = kBroadcast, .accesses = {}, .parameters = {}},
      kMaxServos, kPingData);
  std::vector<FoundServo> found;
  for (const BusPacket& each : answers) {
    found.push_back(found_servo(each));
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
  const bool is_refused = protocol_->has_alert_bit ? (error & 0x7F) != 0
                                                   : protocol_ == &kDynamixel1 &&
                                                         (error & ~kDynamixel1Alarms & 0x7F) != 0;
  if (is_refused) {
    throw BusRefusal(fmt::format("servo {} refuses: {}: {}", id, what, error_text(error)));
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

void BusClient::write(std::uint8_t id, std::uint16_t address, const Octets& bytes,
                      bool is_answered) {
  const BusRequest request{.instruction = Instruction::Write,
                           .id = id,
                           .accesses = {{.id = id,
                                         .address = address,
                                         .count = static_cast<std::uint16_t>(bytes.size()),
                                         .data = bytes}},
                           .parameters = {}};
  if (!is_answered) {
    exchange(request, 0, 0);
    return;
  }
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
