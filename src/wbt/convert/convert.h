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

/// The same world as a present Webots writes it: version R2025a, present nodes and fields, the
/// axes and gravity of its era made explicit. PROTO instances are already their nodes, whose
/// Node::instance stays as it was read. What has no counterpart is left out with a warning.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics);

/// The same nodes with the newest version and its rows of the field table; values stay.
std::vector<wbt::NodePtr> with_present_rows(const std::vector<wbt::NodePtr>& nodes);

/// Makes changed copies of node trees. What several places share (DEF and USE) stays shared.
///
/// Invariant: each original node is changed once.
class Rewriter {
 public:
  /// Gets a copy of a node whose child nodes are already rewritten. Returns the copy, another node,
  /// or null, which removes it from a list or makes the field NULL.
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
  std::unordered_map<wbt::NodePtr, wbt::NodePtr> done_;  // keeps the originals alive: addresses
};

inline wbt::NodePtr shared(wbt::Node node) {
  return std::make_shared<const wbt::Node>(std::move(node));
}

/// Whether two values of a field mean the same: they are equal, or rotations by nothing.
bool is_equivalent(const wbt::Value& a, const wbt::Value& b);
/// A present node that stands where an old one stood; the version of its fields is the newest.
wbt::Node new_node(std::string_view type, const wbt::Node& origin);
/// The same node with another type: DEF, version and what it has in all fields that both types
/// have.
wbt::Node retyped(const wbt::Node& node, std::string_view type);
/// Sets a field, whether it stands there or not. @throws std::out_of_range if the newest table has
/// no such field of that type.
void set_field(wbt::Node& node, std::string_view name, wbt::Value value);
/// Copies a field that `from` states, with its place in the file.
void copy_field(const wbt::Node& from, std::string_view name, wbt::Node& to, std::string_view as);
/// Removes a field if it stands there.
void remove_field(wbt::Node& node, std::string_view name);

/// Turns what stands along other axes in present files: cylinders, planes, cameras and so on, each
/// by the version of its node, which stays. After use_modern_scale() and use_modern_nodes().
void use_modern_axes(wbt::WorldFile& world);

/// Writes out defaults that were others in the version of a node, renames and drops fields that
/// present files no longer have. After the other passes; versions stay.
void use_modern_fields(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Makes gravity a number along the downward axis of a stated coordinateSystem. Where it pointed
/// along none, the whole world is turned, with a warning.
void use_modern_gravity(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Puts present nodes in the place of those that Webots dropped: joints for Servo, a Robot with two
/// wheel joints for DifferentialWheels. Axes, gravity and versions stay those of the file.
void use_modern_nodes(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Since R2023b only what is seen has a scale. In older files it is worked into translations,
/// anchors and the sizes of boundingObjects; what is seen below it gets a Transform. Transforms
/// without scale become Poses.
void use_modern_scale(wbt::WorldFile& world, Diagnostics& diagnostics);

/// Replaces old fields of a node by the present fields that took their place. Others stay.
void use_modern_values(wbt::Node& node);

/// A boundingObject as it stands below a frame that is placed so.
wbt::NodePtr placed_shapes(const Placing& placing, const wbt::NodePtr& bounding_object);

/// Makes every boundingObject of an older version what present Webots allows: a shape, a Pose with
/// one shape, or a Group of these.
void flatten_bounding_objects(wbt::WorldFile& world);

/// Removes, with a warning, what Webots does not allow in a boundingObject: it does not collide.
void drop_invalid_bounding_objects(wbt::WorldFile& world, Diagnostics& diagnostics);

/// A name for the PositionSensor of a Servo, "NAME sensor", with a number behind it if it is among
/// `taken`, to which it is added.
std::string sensor_name(const wbt::Node& servo, std::set<std::string>& taken);

/// The joint that stands for a Servo: its motor and sensor, and the Solid that it moves, which
/// keeps the DEF. A Servo of type "none" becomes a Solid that nothing holds.
wbt::NodePtr servo_joint(wbt::Node servo, const std::string& sensor, Diagnostics& diagnostics);

/// The Robot that stands for a DifferentialWheels: its children "left wheel" and "right wheel" turn
/// on joints with motors and sensors. One warning names what is lost and what controllers have to
/// call.
wbt::NodePtr wheeled_robot(wbt::Node wheels, Diagnostics& diagnostics);

/// Makes relative paths to textures, meshes, sounds and importable PROTOs lead from `folder`, which
/// is absolute, to the files they named where they stood: in the world or in a PROTO file. Web
/// addresses stay.
void move_urls(wbt::WorldFile& world, const std::string& folder, const SourceMap& sources);

/// What a conversion changed, for its summary.
struct Difference {
  std::size_t nodes = 0;            ///< of the converted world, those with USE counted once
  std::size_t changed = 0;          ///< of these, those that no node of the original equals
  std::size_t proto_instances = 0;  ///< of the original
};

/// Nodes are compared by their place, type, name and fields, without the nodes below.
Difference difference_between(const wbt::WorldFile& original, const wbt::WorldFile& converted);

}  // namespace servosim
