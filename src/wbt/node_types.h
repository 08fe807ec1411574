// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wbt/version.h"

namespace servosim::wbt {

enum class ValueType : std::uint8_t {
  SFBool,
  SFInt32,
  SFFloat,
  SFString,
  SFVec2f,
  SFVec3f,
  SFColor,
  SFRotation,
  SFNode,
  MFBool,
  MFInt32,
  MFFloat,
  MFString,
  MFVec2f,
  MFVec3f,
  MFColor,
  MFRotation,
  MFNode,
  SFFloatOrVec3f,  ///< WorldInfo.gravity: a number since R2020b, a vector before
};

/// One row of the field table: everything the program knows about a field.
struct FieldType {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  std::string_view default_text;   ///< as it would stand in a world file
  std::string_view unit;           ///< SI; empty for none
  std::string_view range;          ///< e.g. "[0, inf)", "-1 or [0, inf)"; empty for any
  Version since;                   ///< first version that has it; {} for always
  Version until = kNewestVersion;  ///< last version that has it
  std::string_view doc;            ///< one sentence
  bool extension = false;          ///< ours: Webots does not know it

  /// Whether files of this version have the field with this type and default.
  bool lives_in(const Version& version) const;
  /// Whether Webots had dropped the field before this version.
  bool gone_in(const Version& version) const;
};

/// A node type and its fields, inherited ones included.
struct NodeType {
  std::string_view name;
  std::string_view base;   ///< e.g. "Solid", "Device", "" for none
  bool is_solid = false;   ///< Solid or derived from it
  bool is_device = false;  ///< gets a device tag inside a Robot
  Version since;           ///< first version that has it; {} for always
  std::span<const FieldType* const> fields;

  /// The newest row of that name, or nullptr. A field whose type or default changed has several.
  const FieldType* field(std::string_view field_name) const;
  /// The row that fits files of this version, else the newest one, or nullptr.
  const FieldType* field(std::string_view field_name, const Version& version) const;
};

/// Whether USE may name a node of this type again. Webots' manual forbids it for what has a state
/// of its own in each place.
bool allows_use(const NodeType& type);

/// The type of that name, or nullptr. Old spellings (CameraZoom, CustomRobot, ...) find the node
/// that took their place.
const NodeType* find_node_type(std::string_view name);
/// All node types, by name.
std::span<const NodeType> all_node_types();
/// For a node type that Webots dropped without a successor: since when; else empty.
std::string_view removed_node_since(std::string_view name);

}  // namespace servosim::wbt
