// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "servosim/diagnostics.h"
#include "wbt/convert/placing.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

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

/// Says with present fields of a node what its old ones say, as far as they have successors. Those
/// that have none stay.
void use_modern_values(wbt::Node& node);

/// A boundingObject as it stands below a frame that is placed so.
wbt::NodePtr placed_shapes(const Placing& placing, const wbt::NodePtr& bounding_object);

/// Makes every boundingObject of an older version what present Webots allows: a shape, a Pose with
/// one shape, or a Group of these.
void flatten_bounding_objects(wbt::WorldFile& world);

/// Leaves out, with a warning, what Webots allows in no boundingObject: it touches nothing.
void drop_what_touches_nothing(wbt::WorldFile& world, Diagnostics& diagnostics);

/// A name for the PositionSensor of a Servo, "NAME sensor", with a number behind it if it is among
/// `taken`, to which it is added.
std::string sensor_name(const wbt::Node& servo, std::set<std::string>& taken);

/// The joint that stands for a Servo: its motor and sensor, and the Solid that it moves, which
/// keeps the DEF. A Servo of type "none" becomes a Solid that nothing holds.
wbt::NodePtr servo_joint(wbt::Node servo, const std::string& sensor, Diagnostics& diagnostics);

/// The Robot that stands for a DifferentialWheels: its children "left wheel" and "right wheel" turn
/// on joints with motors and sensors. One warning says what is lost and what controllers do then.
wbt::NodePtr robot_with_wheels(wbt::Node wheels, Diagnostics& diagnostics);

/// Makes relative paths to textures, meshes, sounds and importable PROTOs lead from `folder`, which
/// is absolute, to the files they named where they stood: in the world or in a PROTO file. Web
/// addresses stay.
void move_urls(wbt::WorldFile& world, const std::string& folder, const SourceMap& sources);

}  // namespace servosim
