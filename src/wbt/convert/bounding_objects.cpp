// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/convert/passes.h"
#include "wbt/schema/accepted_nodes.h"

namespace servosim {
namespace {

bool is_group(const wbt::Node& node) { return node.type->name == "Group"; }
bool is_leaf(const wbt::NodePtr& node) { return !is_group(*node) && !is_pose(*node); }

// A shape, or a Pose with one.
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

// Remembers what is shared: one node, one warning.
class Weeder {
 public:
  explicit Weeder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The node of a boundingObject without what does not belong there; null if that is all of it.
  wbt::NodePtr weeded(const wbt::NodePtr& node) {
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
      return geometry && !weeded(geometry) ? nullptr : node;
    }
    if (!groups_shapes(*node)) {
      return node;
    }
    std::vector<wbt::NodePtr> children;
    for (const wbt::NodePtr& child : node->nodes("children")) {
      if (wbt::NodePtr kept = weeded(child)) {
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

void drop_what_touches_nothing(wbt::WorldFile& world, Diagnostics& diagnostics) {
  Weeder weeder(diagnostics);
  world.nodes = Rewriter([&](wbt::Node node) {
                  if (node.has("boundingObject")) {
                    if (wbt::NodePtr kept = weeder.weeded(node.node("boundingObject"))) {
                      set_field(node, "boundingObject", std::move(kept));
                    } else {
                      remove_field(node, "boundingObject");
                    }
                  }
                  return std::make_shared<const wbt::Node>(std::move(node));
                }).rewrite(world.nodes);
}

}  // namespace servosim
