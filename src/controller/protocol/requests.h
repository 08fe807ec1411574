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

enum class SupervisorRequestKind : std::uint8_t {
  // Nodes. SupervisorResponse: `integer` is a node's number, kNoNode for none; 0 is the root.
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
inline constexpr SupervisorRequestKind kLastSupervisorRequest = SupervisorRequestKind::Label;

inline constexpr std::int32_t kNoNode = -1;
inline constexpr std::size_t kMaxRequestNumbers = 9;
/// Longest text of a node to be imported, in bytes.
inline constexpr std::size_t kMaxImport = 8u << 20;

enum NodeFlag : std::uint8_t { kIsProto = 1, kIsInternal = 2 };

/// Only the members that its kind names count.
struct SupervisorRequest {
  SupervisorRequestKind kind = SupervisorRequestKind::Self;
  std::int32_t node = kNoNode;  ///< wbt::Node::id; 0: the root
  std::uint8_t level = 0;       ///< see wbt::FieldKey
  std::uint16_t field = 0;      ///< its number
  std::uint8_t type = 0;        ///< WbFieldType of one item
  std::int32_t index = 0;
  std::int32_t integer = 0;
  std::uint8_t count = 0;                            ///< of `numbers`
  std::array<double, kMaxRequestNumbers> numbers{};  ///< of any value: who serves it checks
  std::string_view text;
  std::string_view more;
  /// Of a Pose, a Get or Contacts: 0, or the number by which the answer comes again, with those of
  /// steps, every `period_ms`.
  std::uint16_t slot = 0;
  std::int32_t period_ms = 0;
};

/// Whether the question is to change something: then its answer has nothing but a text to be shown.
constexpr bool is_change(SupervisorRequestKind kind) {
  switch (kind) {
    case SupervisorRequestKind::Set:
    case SupervisorRequestKind::Insert:
    case SupervisorRequestKind::RemoveItem:
    case SupervisorRequestKind::Import:
    case SupervisorRequestKind::Remove:
    case SupervisorRequestKind::SaveState:
    case SupervisorRequestKind::LoadState:
    case SupervisorRequestKind::SetJointPosition:
    case SupervisorRequestKind::RestartController:
    case SupervisorRequestKind::SetVelocity:
    case SupervisorRequestKind::ResetPhysics:
    case SupervisorRequestKind::AddForce:
    case SupervisorRequestKind::AddTorque:
    case SupervisorRequestKind::LoadWorld:
    case SupervisorRequestKind::Reload:
    case SupervisorRequestKind::Reset:
    case SupervisorRequestKind::Label:
      return true;
    default:
      return false;
  }
}

struct SupervisorResponse {
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
void encode_supervisor_request_body(Writer& writer, const SupervisorRequest& request);
bool decode_supervisor_request_body(Reader& reader, SupervisorRequest& request);
void encode_supervisor_response_body(Writer& writer, const SupervisorResponse& response);
bool decode_supervisor_response_body(Reader& reader, SupervisorResponse& response);

}  // namespace servosim
