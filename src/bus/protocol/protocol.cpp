// SPDX-License-Identifier: Apache-2.0
#include "bus/protocol/protocol.h"

#include <algorithm>
#include <array>

namespace servosim::bus {
namespace {

using enum Instruction;
using Shape = ParameterShape;

constexpr InstructionCode kDynamixel1Codes[] = {
    {Ping, 0x01, Shape::Free},         {Read, 0x02, Shape::Read},
    {Write, 0x03, Shape::Write},       {RegWrite, 0x04, Shape::Write},
    {Action, 0x05, Shape::Free},       {FactoryReset, 0x06, Shape::Free},
    {Reboot, 0x08, Shape::Free},       {SyncWrite, 0x83, Shape::SyncWrite},
    {BulkRead, 0x92, Shape::BulkRead},
};
constexpr InstructionCode kDynamixel2Codes[] = {
    {Ping, 0x01, Shape::Free},
    {Read, 0x02, Shape::Read},
    {Write, 0x03, Shape::Write},
    {RegWrite, 0x04, Shape::Write},
    {Action, 0x05, Shape::Free},
    {FactoryReset, 0x06, Shape::Free},
    {Reboot, 0x08, Shape::Free},
    {Clear, 0x10, Shape::Free},
    {Backup, 0x20, Shape::Free},
    {SyncRead, 0x82, Shape::SyncRead},
    {SyncWrite, 0x83, Shape::SyncWrite},
    {FastSyncRead, 0x8A, Shape::SyncRead},
    {BulkRead, 0x92, Shape::BulkRead},
    {BulkWrite, 0x93, Shape::BulkWrite},
    {FastBulkRead, 0x9A, Shape::BulkRead},
};
constexpr InstructionCode kFeetechCodes[] = {
    {Ping, 0x01, Shape::Free},         {Read, 0x02, Shape::Read},
    {Write, 0x03, Shape::Write},       {RegWrite, 0x04, Shape::Write},
    {Action, 0x05, Shape::Free},       {FactoryReset, 0x06, Shape::Free},
    {ResetTurns, 0x0A, Shape::Free},   {Calibrate, 0x0B, Shape::Free},
    {SyncRead, 0x82, Shape::SyncRead}, {SyncWrite, 0x83, Shape::SyncWrite},
};
// SCS has no sync read.
constexpr InstructionCode kFeetechScsCodes[] = {
    {Ping, 0x01, Shape::Free},           {Read, 0x02, Shape::Read},
    {Write, 0x03, Shape::Write},         {RegWrite, 0x04, Shape::Write},
    {Action, 0x05, Shape::Free},         {FactoryReset, 0x06, Shape::Free},
    {ResetTurns, 0x0A, Shape::Free},     {Calibrate, 0x0B, Shape::Free},
    {SyncWrite, 0x83, Shape::SyncWrite},
};

constexpr std::array<std::uint16_t, 256> kCrcTable = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned remainder = i << 8;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder << 1) ^ ((remainder & 0x8000U) != 0 ? 0x8005U : 0U);
    }
    table[i] = static_cast<std::uint16_t>(remainder);
  }
  return table;
}();

}  // namespace

const Protocol kDynamixel1{"dynamixel1", "Dynamixel 1.0", false,           false,
                           253,          false,           kDynamixel1Codes};
const Protocol kDynamixel2{"dynamixel2", "Dynamixel 2.0", true, false, 252, true, kDynamixel2Codes};
const Protocol kFeetechSts{"sts", "Feetech STS/SMS", false, false, 253, false, kFeetechCodes};
const Protocol kFeetechScs{"scs", "Feetech SCS", false, true, 253, false, kFeetechScsCodes};

std::span<const Protocol* const> all_protocols() {
  static constexpr const Protocol* kAll[] = {&kDynamixel1, &kDynamixel2, &kFeetechSts,
                                             &kFeetechScs};
  return kAll;
}

const Protocol* find_protocol(std::string_view name) {
  const auto all = all_protocols();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Protocol* each) { return each->name == name; });
  return found != all.end() ? *found : nullptr;
}

bool Protocol::is_feetech() const { return this == &kFeetechSts || this == &kFeetechScs; }

const InstructionCode* Protocol::find(Instruction instruction) const {
  const auto found =
      std::find_if(instructions.begin(), instructions.end(),
                   [&](const InstructionCode& each) { return each.instruction == instruction; });
  return found != instructions.end() ? &*found : nullptr;
}

const InstructionCode* Protocol::find_code(std::uint8_t code) const {
  const auto found = std::find_if(instructions.begin(), instructions.end(),
                                  [&](const InstructionCode& each) { return each.code == code; });
  return found != instructions.end() ? &*found : nullptr;
}

std::uint16_t crc16(std::span<const std::uint8_t> bytes, std::uint16_t crc) {
  for (const std::uint8_t byte : bytes) {
    crc = static_cast<std::uint16_t>((crc << 8) ^ kCrcTable[((crc >> 8) ^ byte) & 0xFF]);
  }
  return crc;
}

}  // namespace servosim::bus
