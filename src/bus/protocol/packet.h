// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bus/protocol/protocol.h"

namespace servosim::bus {

/// Bytes on a bus.
using Octets = std::vector<std::uint8_t>;

/// One packet without what frames it.
///
/// Threads: a plain value.
struct BusPacket {
  bool is_status = false;
  std::uint8_t id = 0;
  std::uint8_t code = 0;  ///< of an instruction, or the error byte of a status
  Octets parameters;

  friend bool operator==(const BusPacket&, const BusPacket&) = default;
};

/// Returns the bytes of a packet.
/// @throws std::invalid_argument if it is too long for the protocol
Octets encode(const Protocol& protocol, const BusPacket& packet);

/// The answer to a fast read, which several servos write one after the other: the first one with
/// the header, each with a checksum over all bytes before.
///
/// Threads: one at a time.
class FastStatus {
 public:
  /// `length`: the sum over the servos of 4 and the number of data bytes.
  explicit FastStatus(std::size_t length);
  /// Returns the bytes that the next servo writes.
  Octets add(std::uint8_t error, std::uint8_t id, std::span<const std::uint8_t> data);

 private:
  Octets header_;  // empty after the first servo
  std::uint16_t crc_ = 0;
};

/// Who reads a stream: packets of the protocols without a code for statuses do not say what they
/// are.
///
/// Threads: a plain value.
enum class BusSide { Servo, Client };

/// A packet that was read.
///
/// Threads: a plain value.
struct ReadPacket {
  BusPacket packet;
  bool is_intact = true;  ///< false: its checksum is wrong
  std::size_t end = 0;    ///< how many bytes of the stream were read when it was whole
};

/// Finds packets in a stream of bytes. What is no packet is skipped, one byte after the other, so
/// that a packet after or within garbage is found.
///
/// Threads: one at a time.
class PacketReader {
 public:
  /// A longer length is no length: no client writes it [bytes].
  static constexpr std::size_t kMaxLength = 4096;

  PacketReader(const Protocol& protocol, BusSide side) : protocol_(&protocol), side_(side) {}

  void feed(std::span<const std::uint8_t> bytes) {
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  }
  /// Returns the next packet; nothing before all of it has arrived.
  std::optional<ReadPacket> next();
  /// Forgets the part of a packet that has arrived, as a servo does after a long gap.
  void forget();
  /// Returns how many bytes wait for the rest of their packet.
  std::size_t waiting() const { return waiting_.size() - begin_; }

 private:
  // How many bytes the packet at the front has; 0: more are needed to know, -1: it is none.
  int packet_size(std::span<const std::uint8_t> bytes) const;
  void skip(std::size_t count);

  const Protocol* protocol_;
  BusSide side_;
  Octets waiting_;
  std::size_t begin_ = 0;   // in waiting_
  std::size_t before_ = 0;  // bytes of the stream before begin_
};

}  // namespace servosim::bus
