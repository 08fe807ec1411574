// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "yarp/protocol/byte_queue.h"
#include "yarp/protocol/message.h"

// A message of a binary carrier, cut into UDP datagrams:
//
//     uint32 CRC-32 | int32 0 in the first, 1, 2, ... in those that follow | bytes
//
// The checksum is that of the bytes from the eighth on; the number is not covered. Number −1 wakes
// a receiver that waits, and belongs to no message.

namespace servosim::yarp {

/// Longest datagram, in bytes, and what of it is the message's.
inline constexpr std::size_t kMaxDatagram = 65507;
inline constexpr std::size_t kDatagramHead = 8;

/// How many datagrams a message takes.
std::size_t datagram_count(Bytes message);
/// Appends the one with this number, from 0.
void encode_datagram(Writer& writer, Bytes message, std::size_t number);

/// Nothing: more datagrams are needed. A ProtocolError says what was wrong with the last one; what
/// it belonged to is dropped, and the next message may well be whole.
using DatagramEvent = std::variant<std::monostate, Message, ProtocolError>;

/// The receiver's ear on udp. Use as Incoming: feed() one datagram, next() until it gives nothing.
class DatagramReader {
 public:
  void feed(Bytes datagram);
  DatagramEvent next();
  /// Bytes of a message that has begun.
  std::size_t held() const { return queue_.size(); }

 private:
  void drop(std::string why);

  ByteQueue queue_;
  std::int32_t expected_ = 0;  // number of the datagram that continues the queue; 0: none does
  std::string error_;
};

}  // namespace servosim::yarp
