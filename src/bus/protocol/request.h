// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bus/protocol/packet.h"
#include "bus/protocol/protocol.h"

namespace servosim::bus {

/// What an instruction asks of one servo.
///
/// Threads: a plain value.
struct RegisterAccess {
  std::uint8_t id = 0;
  std::uint16_t address = 0;
  std::uint16_t count = 0;  ///< bytes to read; of a write the size of `data`
  Octets data;              ///< of a write

  friend bool operator==(const RegisterAccess&, const RegisterAccess&) = default;
};

/// An instruction with its parameters as values.
///
/// Threads: a plain value.
struct BusRequest {
  Instruction instruction = Instruction::Ping;
  std::uint8_t id = 0;  ///< to whom it is sent; of those for several servos kBroadcast
  /// Read, Write and RegWrite have one, with the same `id`; instructions for several servos have
  /// one for each, in the order of the packet.
  std::vector<RegisterAccess> accesses;
  Octets parameters;  ///< of other instructions, as they are

  friend bool operator==(const BusRequest&, const BusRequest&) = default;
};

/// Returns what an instruction packet asks; nothing if the protocol has no such instruction or if
/// its parameters do not have the shape of the instruction.
std::optional<BusRequest> read_request(const Protocol& protocol, const BusPacket& packet);
/// Returns the packet of a request.
/// @throws std::invalid_argument if the protocol has no such instruction, or no room for a number
BusPacket to_packet(const Protocol& protocol, const BusRequest& request);

}  // namespace servosim::bus
