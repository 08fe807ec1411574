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
  SFFloatOrVec3f,  ///< for WorldInfo.gravity: a number since R2020b, a vector before
};

/// The effect of editing a field while the world runs. A rebuild makes scene and physics from the
/// changed tree and transfers the state to them. Editing a node that the simulation does not use
/// according to its NodeKind has no effect, whatever its fields state here.
enum class EditEffect : std::uint8_t {
  Rebuild,
  None,        ///< the simulation does not use the field
  Reflection,  ///< rebuilds if a sensor of light or distances sees it, otherwise has no effect
  Live,        ///< the value changes at once in the simulation; rebuilds if it cannot
  Place,       ///< like Live for a Solid, otherwise like Frame
  Frame,       ///< rebuilds; Solids below keep their present pose in this node's frame
  Setting,     ///< rebuilds and sets the value of the device; controllers can also set it
  /// Rebuilds; the endPoint moves to the pose that results from the new parameters.
  JointParameters,
  JointFrame,     ///< rebuilds; the endPoint stays where it is
  CoupledLimit,   ///< rebuilds; coupled motors get the limit, too
  PositionLimit,  ///< like CoupledLimit and JointFrame
};

/// One row of the field table: everything that the program knows about a field.
struct FieldType {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  std::string_view default_text;  ///< the default value as written in a world file
  std::string_view unit;          ///< SI; "-" for none, empty for values that are not numbers
  std::string_view range;         ///< such as "[0, inf)" or "-1 or [0, inf)"; empty means any value
  Version since;                  ///< first version that has it; {} for always
  Version until = kNewestVersion;  ///< last version that has it
  std::string_view doc;            ///< one sentence
  bool extension = false;          ///< an extension of servosim that Webots does not have
  EditEffect edit = EditEffect::Rebuild;

  /// Returns whether files of this version have the field with this type and default.
  bool exists_in(const Version& version) const;
  /// Returns whether Webots had removed the field before this version.
  bool removed_by(const Version& version) const;
};

/// The condition under which a node affects the simulation.
enum class NodeKind : std::uint8_t {
  Plain,       ///< always
  Device,      ///< always; gets a device tag inside a Robot
  Grouping,    ///< only the nodes below it count
  View,        ///< never, since it is only drawn
  Shape,       ///< in a boundingObject, or if a sensor sees it: infra-red, RangeFinder, Lidar
  Appearance,  ///< if one of these sees it, and then only its fields with Reflection
  Light,       ///< if there is a LightSensor
  Abstract,    ///< no node type; only provides rows to others
};

/// A node type and its fields, including inherited ones.
struct NodeType {
  std::string_view name;
  std::string_view base;           ///< such as "Solid" or "Device"; "" for none
  bool is_solid = false;           ///< Solid or derived from it
  bool is_device = false;          ///< its kind is Device
  Version since;                   ///< first version that has it; {} for always
  Version until = kNewestVersion;  ///< last version that has it
  NodeKind kind = NodeKind::Plain;
  std::span<const FieldType* const> fields;
  /// The origin of each of `fields`: this node, or the base from which it comes. That base may
  /// itself be no node type (Joint, Motor, Light).
  std::span<const std::string_view> origins;

  /// Returns the newest row of that name, or nullptr. A field whose type or default has changed has
  /// several rows.
  const FieldType* field(std::string_view field_name) const;
  /// Returns the row for files of this version, else the newest one, or nullptr.
  const FieldType* field(std::string_view field_name, const Version& version) const;
};

/// Returns whether USE may refer to a node of this type. Webots' manual forbids it for nodes that
/// have a separate state in each place.
bool allows_use(const NodeType& type);

/// Returns the type of that name, or nullptr. A former name (CameraZoom, CustomRobot, ...) finds
/// the node that replaced it.
const NodeType* find_node_type(std::string_view name);
/// Returns all node types, sorted by name.
std::span<const NodeType> all_node_types();
/// A name of a node type that is read as another one, or that Webots has removed.
struct OldName {
  std::string_view name;
  std::string_view what;  ///< its present name, or the version that removed it
};
std::span<const OldName> renamed_nodes();
std::span<const OldName> removed_nodes();
/// Returns, for a node type that Webots has removed without a successor, the version that did so;
/// empty for others.
std::string_view removed_node_since(std::string_view name);
/// Returns `; did you mean 'Solid'?` if the name of a node type is similar, else an empty text.
std::string did_you_mean_node(std::string_view wrong);

/// Returns the indices of NodeType::fields in the order of Webots.
const std::vector<std::uint16_t>& field_order(const NodeType& type);

}  // namespace servosim::wbt
