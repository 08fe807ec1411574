// SPDX-License-Identifier: Apache-2.0
#include "convert/placing.h"

#include <cmath>
#include <utility>

#include "convert/rewrite.h"

namespace servosim {
namespace {

struct Quaternion {
  double w = 1.0;
  Vec3 v;
};

Quaternion quaternion(const AxisAngle& turn) {
  const double half = 0.5 * turn.angle;
  return {std::cos(half), std::sin(half) * unit_or(turn.axis, {})};
}

bool is_null(const AxisAngle& turn) {
  return turn.angle == 0.0 || unit_or(turn.axis, {}) == Vec3{};
}

// Rounding errors of what would be 0 make files hard to read.
double without_noise(double x) { return std::abs(x) < 1e-15 ? 0.0 : x; }

}  // namespace

AxisAngle operator*(const AxisAngle& first, const AxisAngle& second) {
  if (is_null(first)) {
    return is_null(second) ? AxisAngle{} : second;
  }
  if (is_null(second)) {
    return first;
  }
  const Quaternion a = quaternion(first);
  const Quaternion b = quaternion(second);
  double w = a.w * b.w - dot(a.v, b.v);
  Vec3 v = a.w * b.v + b.w * a.v + cross(a.v, b.v);
  v = {without_noise(v.x), without_noise(v.y), without_noise(v.z)};
  if (w < 0.0) {
    w = -w;
    v = -v;
  }
  const double sine = norm(v);
  return sine == 0.0 ? AxisAngle{} : AxisAngle{(1.0 / sine) * v, 2.0 * std::atan2(sine, w)};
}

AxisAngle inverse(const AxisAngle& turn) { return {turn.axis, -turn.angle}; }

bool is_pose(const wbt::Node& node) {
  return node.type->name == "Pose" || node.type->name == "Transform";
}

bool has_pose(const wbt::Node& node) {
  const wbt::FieldType* place = node.type->field("translation");
  return place != nullptr && place->type == wbt::ValueType::SFVec3f;
}

Placing placing_of(const wbt::Node& node) {
  return {node.rotation("rotation"), node.vec3("translation")};
}

void set_placing(wbt::Node& node, const Placing& placing) {
  if (node.has("translation") || placing.translation != Vec3{}) {
    set_field(node, "translation", placing.translation);
  }
  if (node.has("rotation") || placing.rotation.angle != 0.0) {
    set_field(node, "rotation", placing.rotation);
  }
}

wbt::NodePtr pose_of(const Placing& placing, const wbt::NodePtr& child) {
  wbt::Node pose;
  pose.type = wbt::find_node_type("Pose");
  pose.where = child->where;
  pose.version = child->version;
  set_placing(pose, placing);
  set_field(pose, "children", std::vector{child});
  return std::make_shared<wbt::Node>(std::move(pose));
}

wbt::NodePtr placed(const Placing& placing, const wbt::NodePtr& node) {
  if (placing.is_identity()) {
    return node;
  }
  if (!has_pose(*node)) {
    return pose_of(placing, node);
  }
  const Placing own = placing_of(*node);
  auto copy = std::make_shared<wbt::Node>(*node);
  set_placing(*copy, {placing.rotation * own.rotation,
                      placing.translation + placing.rotation * own.translation});
  return copy;
}

}  // namespace servosim
