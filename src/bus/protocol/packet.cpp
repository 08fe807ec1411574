// SPDX-License-Identifier: Apache-2.0
#include "bus/protocol/packet.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

namespace servosim::bus {
namespace {

constexpr std::uint8_t kStatusCode = 0x55;  // of protocol 2.0
constexpr std::size_t kWideHeader = 7;      // FF FF FD 00 ID LEN LEN
constexpr std::size_t kNarrowHeader = 4;    // FF FF ID LEN
constexpr std::uint8_t kMaxNarrowLength = 250;
constexpr std::uint8_t kMaxNarrowError = 0x7F;

void add_word(Octets& bytes, std::size_t word) {
  bytes.push_back(static_cast<std::uint8_t>(word));
  bytes.push_back(static_cast<std::uint8_t>(word >> 8));
}

// FF FF FD is the header of a packet, so that another FD follows it anywhere else.
Octets stuffed(const Octets& bytes) {
  Octets result;
  result.reserve(bytes.size());
  for (const std::uint8_t byte : bytes) {
    result.push_back(byte);
    const std::size_t n = result.size();
    if (n >= 3 && byte == 0xFD && result[n - 2] == 0xFF && result[n - 3] == 0xFF) {
      result.push_back(0xFD);
    }
  }
  return result;
}

Octets unstuffed(std::span<const std::uint8_t> bytes) {
  Octets result;
  result.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    result.push_back(bytes[i]);
    const bool is_pattern =
        i >= 2 && bytes[i] == 0xFD && bytes[i - 1] == 0xFF && bytes[i - 2] == 0xFF;
    if (is_pattern && i + 1 < bytes.size() && bytes[i + 1] == 0xFD) {
      ++i;
    }
  }
  return result;
}

std::uint8_t checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint8_t>(~std::accumulate(bytes.begin(), bytes.end(), 0U));
}

Octets wide_header(std::uint8_t id, std::size_t length) {
  Octets bytes{0xFF, 0xFF, 0xFD, 0x00, id};
  add_word(bytes, length);
  return bytes;
}

}  // namespace

Octets encode(const Protocol& protocol, const BusPacket& packet) {
  Octets body;
  if (protocol.is_wide && packet.is_status) {
    body = {kStatusCode};
  }
  body.push_back(packet.code);
  body.insert(body.end(), packet.parameters.begin(), packet.parameters.end());
  Octets bytes;
  if (protocol.is_wide) {
    body = stuffed(body);
    bytes = wide_header(packet.id, body.size() + 2);
  } else {
    bytes = {0xFF, 0xFF, packet.id, static_cast<std::uint8_t>(body.size() + 1)};
  }
  if (const std::size_t most = protocol.is_wide ? PacketReader::kMaxLength - 2 : 254;
      body.size() > most) {
    throw std::invalid_argument(
        fmt::format("a packet of {} has at most {} bytes of instruction and parameters, not {}",
                    protocol.title, most, body.size()));
  }
  bytes.insert(bytes.end(), body.begin(), body.end());
  if (protocol.is_wide) {
    add_word(bytes, crc16(bytes));
  } else {
    bytes.push_back(checksum(std::span(bytes).subspan(2)));
  }
  return bytes;
}

FastStatus::FastStatus(std::size_t length) : header_(wide_header(kBroadcast, length + 1)) {
  header_.push_back(kStatusCode);
}

Octets FastStatus::add(std::uint8_t error, std::uint8_t id, std::span<const std::uint8_t> data) {
  Octets bytes = std::exchange(header_, {});
  bytes.push_back(error);
  bytes.push_back(id);
  bytes.insert(bytes.end(), data.begin(), data.end());
  const std::uint16_t crc = crc16(bytes, crc_);
  add_word(bytes, crc);
  crc_ = crc16(std::span(bytes).last(2), crc);
  return bytes;
}

int PacketReader::packet_size(std::span<const std::uint8_t> bytes) const {
  const auto may_be = [&](std::size_t at, std::uint8_t value) {
    return bytes.size() <= at || bytes[at] == value;
  };
  if (!may_be(0, 0xFF) || !may_be(1, 0xFF)) {
    return -1;
  }
  if (protocol_->is_wide) {
    if (!may_be(2, 0xFD) || !may_be(3, 0x00)) {
      return -1;
    }
    if (bytes.size() < kWideHeader) {
      return 0;
    }
    const std::size_t length = bytes[5] + 256U * bytes[6];
    return length < 3 || length > kMaxLength ? -1 : static_cast<int>(kWideHeader + length);
  }
  if (bytes.size() > 2 && bytes[2] == 0xFF) {
    return -1;
  }
  if (bytes.size() < kNarrowHeader) {
    return 0;
  }
  const std::uint8_t length = bytes[3];
  if (length < 2) {
    return -1;
  }
  if (side_ == BusSide::Client) {  // the filter of the makers' clients
    const bool has_bad_error = bytes.size() > kNarrowHeader && bytes[4] > kMaxNarrowError;
    if (bytes[2] >= kBroadcast || length > kMaxNarrowLength || has_bad_error) {
      return -1;
    }
  }
  return static_cast<int>(kNarrowHeader + length);
}

void PacketReader::skip(std::size_t count) {
  begin_ += count;
  before_ += count;
  if (begin_ == waiting_.size() || begin_ > kMaxLength) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
}

void PacketReader::forget() { skip(waiting()); }

std::optional<ReadPacket> PacketReader::next() {
  while (waiting() > 0) {
    const std::span<const std::uint8_t> bytes =
        std::span<const std::uint8_t>(waiting_).subspan(begin_);
    const int size = packet_size(bytes);
    if (size < 0) {
      skip(1);
      continue;
    }
    if (size == 0 || bytes.size() < static_cast<std::size_t>(size)) {
      return std::nullopt;
    }
    const auto whole = bytes.first(static_cast<std::size_t>(size));
    ReadPacket received;
    BusPacket& packet = received.packet;
    received.end = before_ + whole.size();
    if (protocol_->is_wide) {
      received.is_intact = crc16(whole.first(whole.size() - 2)) ==
                           whole[whole.size() - 2] + 256U * whole[whole.size() - 1];
      packet.id = whole[4];
      const auto stuffed_body = whole.subspan(kWideHeader, whole.size() - kWideHeader - 2);
      packet.is_status = stuffed_body[0] == kStatusCode;
      // Answers to fast reads are not stuffed.
      Octets body = packet.is_status && packet.id == kBroadcast
                        ? Octets(stuffed_body.begin(), stuffed_body.end())
                        : unstuffed(stuffed_body);
      if (packet.is_status && body.size() < 2) {
        skip(1);
        continue;
      }
      const std::size_t first = packet.is_status ? 1 : 0;
      packet.code = body[first];
      packet.parameters.assign(body.begin() + static_cast<std::ptrdiff_t>(first) + 1, body.end());
    } else {
      received.is_intact = checksum(whole.subspan(2, whole.size() - 3)) == whole.back();
      packet.id = whole[2];
      packet.is_status = side_ == BusSide::Client;
      packet.code = whole[4];
      packet.parameters.assign(whole.begin() + kNarrowHeader + 1, whole.end() - 1);
    }
    // Within what is no intact packet another one may begin.
    skip(received.is_intact ? whole.size() : 1);
    return received;
  }
  return std::nullopt;
}

}  // namespace servosim::bus
