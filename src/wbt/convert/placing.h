// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "servosim/math.h"
#include "wbt/node.h"

namespace servosim {

/// The turn that does `second` first, then `first`: the product of their matrices.
AxisAngle operator*(const AxisAngle& first, const AxisAngle& second);
AxisAngle inverse(const AxisAngle& turn);
/// Tidy: see below.
Vec3 operator*(const AxisAngle& turn, const Vec3& v);

/// The same without what rounding made of zeros: no -0, no component below 1e-15 of the largest.
Vec3 tidy(const Vec3& v);

/// The value of an inertiaMatrix field that has been worked out: tidy.
std::vector<Vec3> inertia_rows(const Mat3& inertia);

/// A frame in another one, as the fields of a Pose node state it.
struct Placing {
  AxisAngle rotation;
  Vec3 translation;

  bool is_identity() const { return rotation.angle == 0.0 && translation == Vec3{}; }
};

/// Pose and Transform: they place what is below and are nothing else.
bool is_pose(const wbt::Node& node);
/// Whether the node has a pose of its own: Pose, Transform, Solid, ...
bool has_pose(const wbt::Node& node);
/// Where it stands; it must have a pose.
Placing placing_of(const wbt::Node& node);
/// Writes what is not as it was, and tidy.
void set_placing(wbt::Node& node, const Placing& placing);
/// Sets a rotation that has been worked out. One by nothing goes, if that is the default too.
void set_turn(wbt::Node& node, std::string_view field, const AxisAngle& turn);

/// A Pose with these children, in place of one node of the same file.
wbt::NodePtr pose_of(const Placing& placing, const wbt::NodePtr& child);
/// `node` as it stands below a frame that is placed so: turned itself if it has a pose, else in a
/// Pose.
wbt::NodePtr placed(const Placing& placing, const wbt::NodePtr& node);

}  // namespace servosim
