// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// The protocols of servo buses: Dynamixel 1.0 and 2.0, Feetech STS/SMS and SCS. One table says in
// what they differ, so that everything else is written once. Sources: ROBOTIS e-Manual, "Protocol
// 1.0" and "Protocol 2.0"; FTServo_Python and FTServo_Arduino of Feetech. docs/reference/bus.md has
// the packets.

namespace servosim::bus {

/// The ID with which an instruction is for all servos.
inline constexpr std::uint8_t kBroadcast = 0xFE;

/// What a client asks of servos, whatever code a protocol has for it.
///
/// Threads: a plain value.
enum class Instruction : std::uint8_t {
  Ping,
  Read,
  Write,
  RegWrite,  ///< a write that waits for Action
  Action,
  FactoryReset,
  Reboot,
  ResetTurns,  ///< of Feetech: the turns of a multi-turn servo
  Calibrate,   ///< of Feetech: the present position becomes the middle, or a given one
  Clear,
  Backup,  ///< stores or restores a copy of the registers
  SyncRead,
  SyncWrite,
  FastSyncRead,
  BulkRead,
  BulkWrite,
  FastBulkRead,
};

/// What the parameters of an instruction are.
///
/// Threads: a plain value.
enum class ParameterShape : std::uint8_t {
  Free,       ///< as they are
  Read,       ///< address, count
  Write,      ///< address, data
  SyncRead,   ///< address, count, IDs
  SyncWrite,  ///< address, count, then ID and data of each servo
  BulkRead,   ///< ID, address and count of each servo
  BulkWrite,  ///< ID, address, count and data of each servo
};

/// The code of an instruction in one protocol.
///
/// Threads: a plain value.
struct InstructionCode {
  Instruction instruction;
  std::uint8_t code;
  ParameterShape shape;
};

/// In what protocols differ. The four of them live as long as the program.
///
/// Threads: a plain value.
struct Protocol {
  std::string_view name;   ///< as users write it
  std::string_view title;  ///< as people say it
  /// Packets begin with FF FF FD 00, have 16-bit lengths and addresses, stuffed bytes and a CRC,
  /// and statuses have a code of their own. Otherwise they begin with FF FF, have 8-bit lengths and
  /// addresses and a checksum, and a status looks like an instruction.
  bool is_wide;
  bool is_big_endian;   ///< words in registers and in data
  std::uint8_t max_id;  ///< of a servo
  bool has_alert_bit;   ///< an error byte is a number with a bit for alerts, not a set of bits
  std::span<const InstructionCode> instructions;

  bool is_feetech() const;
  const InstructionCode* find(Instruction instruction) const;
  const InstructionCode* find_code(std::uint8_t code) const;
};

extern const Protocol kDynamixel1;
extern const Protocol kDynamixel2;
extern const Protocol kFeetechSts;  ///< STS and SMS
extern const Protocol kFeetechScs;

/// Returns the protocol that users call so: dynamixel1, dynamixel2, sts or scs; null for none.
const Protocol* find_protocol(std::string_view name);
/// Returns all protocols.
std::span<const Protocol* const> all_protocols();

/// The time that a byte takes [s]: a start bit, 8 data bits and a stop bit.
inline double byte_time(double baud) { return 10.0 / baud; }

/// The CRC-16 of protocol 2.0 (polynomial 8005, no reflection), after `crc` over bytes before.
std::uint16_t crc16(std::span<const std::uint8_t> bytes, std::uint16_t crc = 0);

}  // namespace servosim::bus
