// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"
#include "wbt/node.h"

namespace servosim {

/// The turn that does `second` first, then `first`: the product of their matrices.
AxisAngle operator*(const AxisAngle& first, const AxisAngle& second);
AxisAngle inverse(const AxisAngle& turn);
inline Vec3 operator*(const AxisAngle& turn, const Vec3& v) { return rotation_matrix(turn) * v; }

/// A frame in another one, as the fields of a Pose node state it.
struct Placing {
  AxisAngle rotation;
  Vec3 translation;

  bool is_identity() const { return rotation.angle == 0.0 && translation == Vec3{}; }
};

/// Pose and Transform: they place what is below and are nothing else.
bool is_pose(const wbt::Node& node);
/// Whether the node says itself where it stands: Pose, Transform, Solid, ...
bool has_pose(const wbt::Node& node);
/// Where it stands; it must have a pose.
Placing placing_of(const wbt::Node& node);
void set_placing(wbt::Node& node, const Placing& placing);

/// A Pose with these children, in place of one node of the same file.
wbt::NodePtr pose_of(const Placing& placing, const wbt::NodePtr& child);
/// `node` as it stands below a frame that is placed so: turned itself if it has a pose, else in a
/// Pose.
wbt::NodePtr placed(const Placing& placing, const wbt::NodePtr& node);

}  // namespace servosim
