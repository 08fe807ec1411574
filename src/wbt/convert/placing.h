// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "servosim/math.h"
#include "wbt/node.h"

namespace servosim {

/// Returns the rotation that applies `second` first, then `first`: the product of their matrices.
AxisAngle operator*(const AxisAngle& first, const AxisAngle& second);
AxisAngle inverse(const AxisAngle& turn);
/// Returns the turned vector after tidy().
Vec3 operator*(const AxisAngle& turn, const Vec3& v);

/// Removes what rounding has made of zeros: returns no -0 and no component below 1e-15 of the
/// largest.
Vec3 tidy(const Vec3& v);

/// Returns the value of an inertiaMatrix field for a computed tensor, after tidy().
std::vector<Vec3> inertia_rows(const Mat3& inertia);

/// A frame in another one, as the fields of a Pose node define it.
struct Placing {
  AxisAngle rotation;
  Vec3 translation;

  bool is_identity() const { return rotation.angle == 0.0 && translation == Vec3{}; }
};

/// Returns true for Pose and Transform, which only place their children.
bool is_pose(const wbt::Node& node);
/// Returns whether the node has a pose: Pose, Transform, Solid, ...
bool has_pose(const wbt::Node& node);
/// Returns the placing of the node, which must have a pose.
Placing placing_of(const wbt::Node& node);
/// Sets the fields that differ, after tidy().
void set_placing(wbt::Node& node, const Placing& placing);
/// Sets a computed rotation. A rotation by 0 is removed if that is also the default value.
void set_turn(wbt::Node& node, std::string_view field, const AxisAngle& turn);

/// Returns a Pose with this child, which replaces one node of the same file.
wbt::NodePtr pose_of(const Placing& placing, const wbt::NodePtr& child);
/// Returns `node` as it is below a frame with this placing: turned itself if it has a pose,
/// otherwise inside a Pose.
wbt::NodePtr placed(const Placing& placing, const wbt::NodePtr& node);

}  // namespace servosim
