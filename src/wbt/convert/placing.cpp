// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/placing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/schema/accepted_nodes.h"
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

// Removes -0 and components below 1e-15 of `largest`.
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
  if (!is_equivalent(placing.rotation, node.rotation("rotation"))) {
    set_turn(node, "rotation", placing.rotation);
  }
}

void set_turn(wbt::Node& node, std::string_view field, const AxisAngle& turn) {
  if (turn.angle == 0.0 && is_equivalent(turn, default_value(*node.type->field(field)))) {
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

namespace {

bool is_group(const wbt::Node& node) { return node.type->name == "Group"; }
bool is_leaf(const wbt::NodePtr& node) { return !is_group(*node) && !is_pose(*node); }

// Returns whether the node is a shape, or a Pose with one shape.
bool is_placed_shape(const wbt::NodePtr& node) {
  if (node->type->name != "Pose") {
    return is_leaf(node);
  }
  const auto& children = node->nodes("children");
  return children.empty() || (children.size() == 1 && is_leaf(children.front()));
}

bool is_plain(const wbt::NodePtr& node) {
  if (!is_group(*node)) {
    return is_placed_shape(node);
  }
  const auto& children = node->nodes("children");
  return std::all_of(children.begin(), children.end(), is_placed_shape);
}

void collect(const Placing& at, const wbt::NodePtr& node, std::vector<wbt::NodePtr>& shapes) {
  if (is_leaf(node)) {
    shapes.push_back(placed(at, node));
    return;
  }
  Placing below = at;
  if (is_pose(*node)) {
    const Placing own = placing_of(*node);
    below = {at.rotation * own.rotation, at.translation + at.rotation * own.translation};
  }
  for (const wbt::NodePtr& child : node->nodes("children")) {
    collect(below, child, shapes);
  }
}

// Removes invalid shapes; a shared node is reported once.
class ShapeFilter {
 public:
  explicit ShapeFilter(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Returns the node of a boundingObject without nodes that are not permitted there; null if
  /// nothing is left.
  wbt::NodePtr filtered(const wbt::NodePtr& node) {
    if (!node) {
      return node;
    }
    if (const auto known = done_.find(node); known != done_.end()) {
      return known->second;
    }
    return done_[node] = weed(node);
  }

 private:
  wbt::NodePtr weed(const wbt::NodePtr& node) {
    if (std::string fault = fault_in_bounding_object(*node); !fault.empty()) {
      diagnostics_.warning(node->where, std::move(fault));
      return {};
    }
    if (node->type->name == "Shape") {
      const wbt::NodePtr& geometry = node->node("geometry");
      return geometry && !filtered(geometry) ? nullptr : node;
    }
    if (!groups_shapes(*node)) {
      return node;
    }
    std::vector<wbt::NodePtr> children;
    for (const wbt::NodePtr& child : node->nodes("children")) {
      if (wbt::NodePtr kept = filtered(child)) {
        children.push_back(std::move(kept));
      }
    }
    if (children == node->nodes("children")) {
      return node;
    }
    auto copy = std::make_shared<wbt::Node>(*node);
    set_field(*copy, "children", std::move(children));
    return copy;
  }

  Diagnostics& diagnostics_;
  std::unordered_map<wbt::NodePtr, wbt::NodePtr> done_;
};

wbt::NodePtr flattened(const wbt::NodePtr& bounding_object) {
  std::vector<wbt::NodePtr> shapes;
  collect({}, bounding_object, shapes);
  if (shapes.size() == 1) {
    return shapes.front();
  }
  wbt::Node group;
  group.type = wbt::find_node_type("Group");
  group.def = bounding_object->def;
  group.where = bounding_object->where;
  group.version = bounding_object->version;
  set_field(group, "children", std::move(shapes));
  return std::make_shared<wbt::Node>(std::move(group));
}

}  // namespace

wbt::NodePtr placed_shapes(const Placing& placing, const wbt::NodePtr& bounding_object) {
  if (!is_group(*bounding_object)) {
    return placed(placing, bounding_object);
  }
  auto group = std::make_shared<wbt::Node>(*bounding_object);
  std::vector<wbt::NodePtr> children = group->nodes("children");
  for (wbt::NodePtr& child : children) {
    child = placed_shapes(placing, child);
  }
  set_field(*group, "children", std::move(children));
  return group;
}

void flatten_bounding_objects(wbt::WorldFile& world) {
  world.nodes = Rewriter([](wbt::Node node) {
                  if (node.version < wbt::kNewestVersion && node.has("boundingObject")) {
                    const wbt::NodePtr shapes = node.node("boundingObject");
                    if (shapes && !is_plain(shapes)) {
                      set_field(node, "boundingObject", flattened(shapes));
                    }
                  }
                  return std::make_shared<const wbt::Node>(std::move(node));
                }).rewrite(world.nodes);
}

void drop_invalid_bounding_objects(wbt::WorldFile& world, Diagnostics& diagnostics) {
  ShapeFilter filter(diagnostics);
  world.nodes = Rewriter([&](wbt::Node node) {
                  if (node.has("boundingObject")) {
                    if (wbt::NodePtr kept = filter.filtered(node.node("boundingObject"))) {
                      set_field(node, "boundingObject", std::move(kept));
                    } else {
                      remove_field(node, "boundingObject");
                    }
                  }
                  return std::make_shared<const wbt::Node>(std::move(node));
                }).rewrite(world.nodes);
}

}  // namespace servosim
