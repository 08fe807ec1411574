// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.h"

// What a supervisor asks: one message there, one back, at once and between steps.

namespace servosim {

enum class AskKind : std::uint8_t {
  // Nodes. Told: `integer` is a node's number, kNoNode for none; 0 is the root.
  Self,
  FindDef,        ///< text
  FindProtoDef,   ///< node, text
  FindId,         ///< node
  FindDevice,     ///< index: its tag
  Parent,         ///< node
  Describe,       ///< node → flags, text: see NodeFlag, type, base type and DEF
  DescribeProto,  ///< node, level → integer: levels below; text: its name

  // Fields: node, level, and field unless said otherwise.
  FindField,    ///< text → integer: its number or -1; type; flags; text: its name
  NthField,     ///< index → the same
  CountFields,  ///< → integer
  ActualField,  ///< → node, level and number of the field that gives its value
  CountItems,   ///< → integer
  Get,          ///< index, type → numbers, text, or a node's number
  Set,          ///< index, type, numbers, text
  Insert,       ///< the same
  RemoveItem,   ///< index; -1: of an SFNode
  Import,       ///< index; -1: of an SFNode; text

  // Nodes as a whole: node.
  Remove,
  Export,            ///< → text
  SaveState,         ///< text
  LoadState,         ///< text
  SetJointPosition,  ///< index: axis from 1; a number
  RestartController,
  Pose,          ///< → 16 numbers, 4x4, in the world
  Velocity,      ///< → 6
  SetVelocity,   ///< 6
  ResetPhysics,  ///< kNoNode: of all
  AddForce,      ///< 3, then 3 of the offset if there is one; index: bit 0 relative, bit 1 offset
  AddTorque,     ///< 3; index: bit 0 relative
  CenterOfMass,  ///< → 3
  Contacts,      ///< index: with descendants → by point x, y, z, the node's number
  Balance,       ///< → integer

  // The run.
  LoadWorld,  ///< text
  Reload,
  SaveWorld,  ///< text
  Reset,
  Untrack,  ///< index: the slot
  Label,    ///< index: its number; 4 numbers: x, y, size, transparency; field: 0; integer colour;
            ///< texts
};
inline constexpr AskKind kLastAsk = AskKind::Label;

inline constexpr std::int32_t kNoNode = -1;
inline constexpr std::size_t kMostAskNumbers = 9;
/// Longest text of a node to be imported, in bytes.
inline constexpr std::size_t kMaxImport = 8u << 20;

enum NodeFlag : std::uint8_t { kIsProto = 1, kIsInternal = 2 };

/// Only the members that its kind names count.
struct Ask {
  AskKind kind = AskKind::Self;
  std::int32_t node = kNoNode;  ///< wbt::Node::id; 0: the root
  std::uint8_t level = 0;       ///< see wbt::FieldKey
  std::uint16_t field = 0;      ///< its number
  std::uint8_t type = 0;        ///< WbFieldType of one item
  std::int32_t index = 0;
  std::int32_t integer = 0;
  std::uint8_t count = 0;                         ///< of `numbers`
  std::array<double, kMostAskNumbers> numbers{};  ///< of any value: who serves it checks
  std::string_view text;
  std::string_view more;
  /// Of a Pose, a Get or Contacts: 0, or the number by which the answer comes again, with those of
  /// steps, every `period_ms`.
  std::uint16_t slot = 0;
  std::int32_t period_ms = 0;
};

/// Whether the question is to change something: then its answer has nothing but a text to be shown.
constexpr bool is_change(AskKind kind) {
  switch (kind) {
    case AskKind::Set:
    case AskKind::Insert:
    case AskKind::RemoveItem:
    case AskKind::Import:
    case AskKind::Remove:
    case AskKind::SaveState:
    case AskKind::LoadState:
    case AskKind::SetJointPosition:
    case AskKind::RestartController:
    case AskKind::SetVelocity:
    case AskKind::ResetPhysics:
    case AskKind::AddForce:
    case AskKind::AddTorque:
    case AskKind::LoadWorld:
    case AskKind::Reload:
    case AskKind::Reset:
    case AskKind::Label:
      return true;
    default:
      return false;
  }
}

struct Told {
  std::int32_t integer = 0;
  std::int32_t node = kNoNode;
  std::uint8_t type = 0;  ///< WbFieldType
  std::uint8_t flags = 0;
  std::uint8_t level = 0;
  Bytes numbers;  ///< doubles in place, of any alignment
  std::string_view text;
  std::array<std::string_view, 2> more;

  std::size_t count() const { return numbers.size() / sizeof(double); }
  /// Copies as many as `into` takes and there are.
  void copy_to(std::span<double> into) const {
    if (const std::size_t size = std::min(numbers.size(), into.size_bytes()); size > 0) {
      std::memcpy(into.data(), numbers.data(), size);  // which takes no null, not even for 0 bytes
    }
  }
};

/// What follows the kind of the message.
void encode_ask_body(Writer& writer, const Ask& ask);
bool decode_ask_body(Reader& reader, Ask& ask);
void encode_told_body(Writer& writer, const Told& told);
bool decode_told_body(Reader& reader, Told& told);

}  // namespace servosim
