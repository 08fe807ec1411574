// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/placing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/values.h"

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

double largest_of(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

// No -0, no component below 1e-15 of `largest`.
Vec3 tidy_to(const Vec3& v, double largest) {
  const auto rounded = [=](double x) {
    return x == 0.0 || std::abs(x) < 1e-15 * largest ? 0.0 : x;
  };
  return {rounded(v.x), rounded(v.y), rounded(v.z)};
}

}  // namespace

Vec3 tidy(const Vec3& v) { return tidy_to(v, largest_of(v)); }

Vec3 operator*(const AxisAngle& turn, const Vec3& v) { return tidy(rotation_matrix(turn) * v); }

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
  Vec3 v = tidy_to(a.w * b.v + b.w * a.v + cross(a.v, b.v), 1.0);
  if (w < 0.0) {
    w = -w;
    v = -v;
  }
  const double sine = norm(v);
  return sine == 0.0 ? AxisAngle{} : AxisAngle{tidy((1.0 / sine) * v), 2.0 * std::atan2(sine, w)};
}

std::vector<Vec3> inertia_rows(const Mat3& i) {
  const Vec3 moments{i(0, 0), i(1, 1), i(2, 2)};
  const Vec3 products{i(0, 1), i(0, 2), i(1, 2)};
  const double largest = std::max(largest_of(moments), largest_of(products));
  return {tidy_to(moments, largest), tidy_to(products, largest)};
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
  if (placing.translation != node.vec3("translation")) {
    set_field(node, "translation", tidy(placing.translation));
  }
  if (!means_the_same(placing.rotation, node.rotation("rotation"))) {
    set_turn(node, "rotation", placing.rotation);
  }
}

void set_turn(wbt::Node& node, std::string_view field, const AxisAngle& turn) {
  if (turn.angle == 0.0 && means_the_same(turn, default_value(*node.type->field(field)))) {
    remove_field(node, field);
  } else {
    set_field(node, field, turn);
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
