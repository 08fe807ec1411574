// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "servosim/diagnostics.h"
#include "wbt/convert/placing.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

/// Returns the same world as a present Webots writes it: version R2025a, present nodes and fields,
/// and explicit axes and gravity of its era. PROTO instances are already expanded to nodes, whose
/// Node::instance stays as it was read. Things without a counterpart are left out with a warning.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics);

/// Returns the same nodes with the newest version and its rows of the field table. Values stay.
std::vector<wbt::NodePtr> with_present_rows(const std::vector<wbt::NodePtr>& nodes);

/// Makes changed copies of node trees. A node that several places share (DEF and USE) stays shared.
///
/// Invariant: each original node is changed once.
class Rewriter {
 public:
  /// Gets a copy of a node whose child nodes are already rewritten. Returns the copy, another node,
  /// or null, which removes the node from a list or sets the field to NULL.
  using Change = std::function<wbt::NodePtr(wbt::Node copy)>;
  /// Called with each original before its child nodes are rewritten, parents first.
  using Enter = std::function<void(const wbt::Node& original)>;

  explicit Rewriter(Change change, Enter enter = {})
      : change_(std::move(change)), enter_(std::move(enter)) {}

  wbt::NodePtr rewrite(const wbt::NodePtr& node);
  std::vector<wbt::NodePtr> rewrite(const std::vector<wbt::NodePtr>& nodes);

 private:
  Change change_;
  Enter enter_;
  // Keeps the originals alive, so that addresses stay unique.
  std::unordered_map<wbt::NodePtr, wbt::NodePtr> done_;
};

inline wbt::NodePtr shared(wbt::Node node) {
  return std::make_shared<const wbt::Node>(std::move(node));
}

/// Returns whether two values of a field mean the same: they are equal, or both are rotations by 0.
bool is_equivalent(const wbt::Value& a, const wbt::Value& b);
/// Returns a present node that replaces an old one. Its fields have the newest version.
wbt::Node new_node(std::string_view type, const wbt::Node& origin);
/// Returns the same node with another type. It keeps DEF, version and all fields that both types
/// have.
wbt::Node retyped(const wbt::Node& node, std::string_view type);
/// Sets a field, whether it exists or not. @throws std::out_of_range if the newest table has no
/// such field of that type
void set_field(wbt::Node& node, std::string_view name, wbt::Value value);
/// Copies a field that `from` has, with its location in the file.
void copy_field(const wbt::Node& from, std::string_view name, wbt::Node& to, std::string_view as);
/// Removes a field if it exists.
void remove_field(wbt::Node& node, std::string_view name);

/// Turns nodes whose axes are different in present files, such as cylinders, planes and cameras,
/// each according to the version of its node, which stays. Call it after use_modern_scale() and
/// use_modern_nodes().
void use_modern_axes(wbt::WorldFile& world);

/// Writes out default values that were different in the version of a node, and renames and removes
/// fields that present files no longer have. Call it after the other passes; versions stay.
void use_modern_fields(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Converts gravity to a number along the downward axis of a stated coordinateSystem. If it points
/// along no such axis, the whole world is turned, with a warning.
void use_modern_gravity(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Replaces nodes that Webots has dropped by present nodes: Servo by joints, DifferentialWheels by
/// a Robot with two wheel joints. Axes, gravity and versions stay those of the file.
void use_modern_nodes(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Since R2023b only visible parts have a scale. In older files the scale is multiplied into
/// translations, anchors and the sizes of boundingObjects; visible parts below it get a Transform.
/// Transforms without scale become Poses.
void use_modern_scale(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Replaces old fields of a node by the present fields that replaced them. Other fields stay.
void use_modern_values(wbt::Node& node);

/// Returns a boundingObject as it is below a frame with this placing.
wbt::NodePtr placed_shapes(const Placing& placing, const wbt::NodePtr& bounding_object);

/// Converts every boundingObject of an older version to what present Webots permits: a shape, a
/// Pose with one shape, or a Group of these.
void flatten_bounding_objects(wbt::WorldFile& world);

/// Removes, with a warning, nodes that Webots does not permit in a boundingObject, since they do
/// not collide.
void drop_invalid_bounding_objects(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Returns a name for the PositionSensor of a Servo, "NAME sensor". If `taken` contains it, a
/// number follows. Adds the name to `taken`.
std::string sensor_name(const wbt::Node& servo, std::set<std::string>& taken);

/// Returns the joint that replaces a Servo: its motor and sensor, and the Solid that it moves,
/// which keeps the DEF. A Servo of type "none" becomes a Solid that nothing holds.
wbt::NodePtr servo_joint(wbt::Node servo, const std::string& sensor, Diagnostics& diagnostics);

/// Returns the Robot that replaces a DifferentialWheels. Its children "left wheel" and "right
/// wheel" turn on joints with motors and sensors. One warning names what is lost and what
/// controllers have to call.
wbt::NodePtr wheeled_robot(wbt::Node wheels, Diagnostics& diagnostics);

/// Makes relative paths to textures, meshes, sounds and importable PROTOs relative to `folder`,
/// which is absolute. They name the same files as before in the world or in a PROTO file. Web
/// addresses stay.
void move_urls(wbt::WorldFile& world, const std::string& folder, const SourceMap& sources);

/// What a conversion has changed, for its summary.
struct Difference {
  std::size_t nodes = 0;            ///< nodes of the converted world; those with USE count once
  std::size_t changed = 0;          ///< those of them that equal no node of the original
  std::size_t proto_instances = 0;  ///< number in the original
};

/// Compares nodes by their place, type, name and fields, without the nodes below.
Difference difference_between(const wbt::WorldFile& original, const wbt::WorldFile& converted);

}  // namespace servosim
