// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/eras/version.h"

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

/// What an edit of a field does while the world runs. To rebuild is to make scene and physics of
/// the changed tree and to transfer the state to them. A node that the simulation does not use, as
/// its NodeKind says, has no effect, whatever its fields state here.
enum class EditEffect : std::uint8_t {
  Rebuild,
  None,        ///< the simulation does not use the field
  Reflection,  ///< rebuilds if an infra-red DistanceSensor sees Shapes, else nothing
  Live,        ///< the simulation has the value, which changes at once; rebuilds where it cannot
  Place,       ///< of a Solid as Live, else as Frame
  Frame,       ///< rebuilds; Solids below keep their present place in this node's frame
  Setting,     ///< rebuilds, and the device gets the value; controllers set it, too
  JointParameters,  ///< rebuilds; the endPoint moves to where the new parameters put it
  JointFrame,       ///< rebuilds; the endPoint stays where it is
  CoupledLimit,     ///< rebuilds; coupled motors get the limit, too
  PositionLimit,    ///< as CoupledLimit and JointFrame
};

/// One row of the field table: all facts of the program about a field.
struct FieldType {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  std::string_view default_text;   ///< as it would stand in a world file
  std::string_view unit;           ///< SI; "-" for none, empty for what is no number
  std::string_view range;          ///< e.g. "[0, inf)", "-1 or [0, inf)"; empty for any
  Version since;                   ///< first version that has it; {} for always
  Version until = kNewestVersion;  ///< last version that has it
  std::string_view doc;            ///< one sentence
  bool extension = false;          ///< ours: Webots does not know it
  EditEffect edit = EditEffect::Rebuild;

  /// Whether files of this version have the field with this type and default.
  bool exists_in(const Version& version) const;
  /// Whether Webots had dropped the field before this version.
  bool removed_by(const Version& version) const;
};

/// What makes a node count in the simulation.
enum class NodeKind : std::uint8_t {
  Plain,       ///< always counts
  Device,      ///< likewise; gets a device tag inside a Robot
  Grouping,    ///< only what stands below it does
  View,        ///< never: it is drawn
  Shape,       ///< in a boundingObject, or if an infra-red DistanceSensor sees it
  Appearance,  ///< if an infra-red DistanceSensor sees it; of its fields, those of Reflection
  Light,       ///< if there is a LightSensor
  Abstract,    ///< is no node type: lends its rows to others
};

/// A node type and its fields, inherited ones included.
struct NodeType {
  std::string_view name;
  std::string_view base;           ///< e.g. "Solid", "Device", "" for none
  bool is_solid = false;           ///< Solid or derived from it
  bool is_device = false;          ///< of kind Device
  Version since;                   ///< first version that has it; {} for always
  Version until = kNewestVersion;  ///< last version that has it
  NodeKind kind = NodeKind::Plain;
  std::span<const FieldType* const> fields;
  /// Where each of `fields` comes from: this node, or the base that lends it, which may be one that
  /// is no node type itself (Joint, Motor, Light).
  std::span<const std::string_view> origins;

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
/// A name of a node type that is read as another one, or that Webots dropped.
struct OldName {
  std::string_view name;
  std::string_view what;  ///< its present name; or the version that dropped it
};
std::span<const OldName> renamed_nodes();
std::span<const OldName> removed_nodes();
/// For a node type that Webots dropped without a successor: since when; else empty.
std::string_view removed_node_since(std::string_view name);
/// `; did you mean 'Solid'?` if a node type is called nearly so, else an empty text.
std::string did_you_mean_node(std::string_view wrong);

/// The indices of NodeType::fields in the order of Webots.
const std::vector<std::uint16_t>& field_order(const NodeType& type);

}  // namespace servosim::wbt
