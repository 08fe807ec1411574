// SPDX-License-Identifier: Apache-2.0
#include "wbt/stand_in_looks.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "wbt/hidden_fields.h"

namespace servosim::wbt {
namespace {

constexpr Vec3 kFloorColor{0.55, 0.6, 0.55};
constexpr Vec3 kWallColor{0.8, 0.7, 0.55};

void count(Node& above, const NodePtr& node) {
  above.height = std::max(above.height, node->height + 1);
  above.expanded += node->expanded;
}

NodePtr made(std::string_view type, const Node& origin,
             std::initializer_list<std::pair<std::string_view, Value>> fields) {
  Node node;
  node.type = find_node_type(type);
  node.where = origin.where;
  node.version = origin.version;
  for (const auto& [name, value] : fields) {
    if (const auto* child = std::get_if<NodePtr>(&value)) {
      count(node, *child);
    }
    set_field(node, *node.type->field(name, node.version), origin.where, value);
  }
  return std::make_shared<const Node>(std::move(node));
}

NodePtr shown(const NodePtr& shape);

void set_children(Node& node, const std::vector<NodePtr>& shapes) {
  std::vector<NodePtr> children;
  for (const NodePtr& shape : shapes) {
    children.push_back(shown(shape));
    count(node, children.back());
  }
  set_field(node, *node.type->field("children", node.version), node.where, std::move(children));
}

// A geometry becomes a Shape, in the same Pose if it has one.
NodePtr shown(const NodePtr& shape) {
  if (shape->has("children")) {
    auto pose = std::make_shared<Node>(*shape);
    pose->height = pose->expanded = 1;
    set_children(*pose, shape->nodes("children"));
    return pose;
  }
  const std::string_view type = shape->type->name;
  const bool is_floor = type == "Plane" || type == "ElevationGrid";
  const NodePtr appearance = made(
      "PBRAppearance", *shape,
      {{"baseColor", is_floor ? kFloorColor : kWallColor}, {"roughness", 0.9}, {"metalness", 0.0}});
  return made("Shape", *shape, {{"appearance", appearance}, {"geometry", shape}});
}

}  // namespace

void show_shapes(Node& solid) {
  set_children(solid, solid.node("boundingObject")->nodes("children"));
}

}  // namespace servosim::wbt
