// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/convert/placing.h"

namespace servosim {
namespace {

constexpr wbt::Version kR2023b{2023, 1, 0};
constexpr Vec3 kOne{1.0, 1.0, 1.0};

// Returns the scale of a node, or 1 1 1 if it has none. The scale of a Skin and that of a texture
// have other meanings.
Vec3 scale_of(const wbt::Node& node) {
  const bool scales = has_pose(node) && node.type->name != "Skin" && node.has("scale");
  return scales ? node.vec3("scale") : kOne;
}

Vec3 magnitude(const Vec3& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

void scale_number(wbt::Node& node, std::string_view field, double factor) {
  set_field(node, field, node.number(field) * factor);
}

// Converts a Transform to a Pose, which has no scale.
void make_pose(wbt::Node& node) {
  if (has_pose(node) && node.type->name != "Skin") {
    remove_field(node, "scale");
  }
  if (node.type->name == "Transform") {
    node.type = wbt::find_node_type("Pose");
  }
}

// Tells whether a predicate is true for a node or any node below it, and computes this once for
// each node.
class Tree {
 public:
  explicit Tree(bool (*asked)(const wbt::Node&)) : asked_(asked) {}

  bool any(const wbt::NodePtr& node) {
    if (!node) {
      return false;
    }
    if (const auto known = known_.find(node); known != known_.end()) {
      return known->second;
    }
    bool found = asked_(*node);
    wbt::for_each_child(*node, [&](const wbt::NodePtr& child) { found = any(child) || found; });
    return known_[node] = found;
  }

 private:
  bool (*asked_)(const wbt::Node&);
  std::unordered_map<wbt::NodePtr, bool> known_;
};

bool has_scale(const wbt::Node& node) { return scale_of(node) != kOne; }
// Returns whether a node collides, moves or measures.
bool is_body(const wbt::Node& node) {
  return node.type->is_solid || node.type->is_device || node.type->field("endPoint") != nullptr ||
         node.type->name == "Propeller" || node.type->name == "Fluid";
}
// In R2023b Solids have no scale, but in nightly versions with that header they had one.
bool is_older(const wbt::Node& node) {
  return node.version < kR2023b ||
         (node.version < wbt::kR2025a && !is_pose(node) && has_scale(node));
}

class Scaler {
 public:
  explicit Scaler(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Returns the node below frames whose scales multiply to `scale`. The node is a boundingObject
  /// or a part of one.
  wbt::NodePtr shapes(const wbt::NodePtr& node, const Vec3& scale);
  /// Does the same for any other node.
  wbt::NodePtr scaled_node(const wbt::NodePtr& node, const Vec3& scale);

 private:
  using Scaling = wbt::NodePtr (Scaler::*)(wbt::Node copy, const Vec3& scale);

  wbt::NodePtr once(const wbt::NodePtr& node, const Vec3& scale, Scaling scaling);
  wbt::NodePtr scale_shapes(wbt::Node copy, const Vec3& scale);
  wbt::NodePtr scale_sight(wbt::Node copy, const Vec3& scale);
  wbt::NodePtr scale_node(wbt::Node copy, const Vec3& scale);
  void scale_geometry(wbt::Node& geometry, const Vec3& scale);
  void scale_below(wbt::Node& node, const Vec3& scale);

  Diagnostics& diagnostics_;
  Tree scales_{has_scale};
  Tree bodies_{is_body};
  Rewriter unscaled_{[](wbt::Node node) {
    make_pose(node);
    return shared(std::move(node));
  }};
  // Results by node, scale, and whether the node is in a boundingObject. So shared nodes stay
  // shared.
  std::map<std::tuple<wbt::NodePtr, double, double, double, bool>, wbt::NodePtr> done_;
};

wbt::NodePtr Scaler::once(const wbt::NodePtr& node, const Vec3& scale, Scaling scaling) {
  if (!node || (scale == kOne && !scales_.any(node))) {
    return unscaled_.rewrite(node);
  }
  const bool in_shapes = scaling == &Scaler::scale_shapes;
  const auto key = std::tuple(node, scale.x, scale.y, scale.z, in_shapes);
  if (const auto done = done_.find(key); done != done_.end()) {
    return done->second;
  }
  return done_[key] = (this->*scaling)(*node, scale);
}

wbt::NodePtr Scaler::shapes(const wbt::NodePtr& node, const Vec3& scale) {
  return once(node, scale, &Scaler::scale_shapes);
}

wbt::NodePtr Scaler::scaled_node(const wbt::NodePtr& node, const Vec3& scale) {
  const bool is_seen_only = node && is_pose(*node) && !bodies_.any(node);
  return once(node, scale, is_seen_only ? &Scaler::scale_sight : &Scaler::scale_node);
}

// A node that is only visible is scaled from its Transform on.
wbt::NodePtr Scaler::scale_sight(wbt::Node copy, const Vec3& scale) {
  const Vec3 total = scaled(scale, scale_of(copy));
  set_placing(copy, {copy.rotation("rotation"), scaled(copy.vec3("translation"), scale)});
  make_pose(copy);
  if (total != kOne) {
    copy.type = wbt::find_node_type("Transform");
    set_field(copy, "scale", total);
  }
  scale_below(copy, kOne);
  return std::make_shared<wbt::Node>(std::move(copy));
}

// Sizes are scaled as the scene reads them, in the axes of the file.
void Scaler::scale_geometry(wbt::Node& geometry, const Vec3& scale) {
  const std::string_view type = geometry.type->name;
  const bool z_up = wbt::geometry_axis_is_z(geometry.version);
  const double along = z_up ? scale.z : scale.y;
  const double aside = z_up ? scale.y : scale.z;
  if (type == "Box") {
    set_field(geometry, "size", scaled(geometry.vec3("size"), scale));
  } else if (type == "Sphere") {
    scale_number(geometry, "radius", std::max({scale.x, scale.y, scale.z}));
  } else if (type == "Cylinder" || type == "Capsule") {
    scale_number(geometry, "radius", std::max(scale.x, aside));
    scale_number(geometry, "height", along);
  } else if (type == "ElevationGrid") {
    scale_number(geometry, "xSpacing", scale.x);
    scale_number(geometry, z_up ? "ySpacing" : "zSpacing", aside);
    std::vector<double> heights = geometry.numbers("height");
    std::transform(heights.begin(), heights.end(), heights.begin(),
                   [&](double height) { return along * height; });
    set_field(geometry, "height", std::move(heights));
  } else if (type == "IndexedFaceSet" && geometry.node("coord")) {
    auto coord = std::make_shared<wbt::Node>(*geometry.node("coord"));
    std::vector<Vec3> points = coord->vec3s("point");
    std::transform(points.begin(), points.end(), points.begin(),
                   [&](const Vec3& point) { return scaled(point, scale); });
    set_field(*coord, "point", std::move(points));
    set_field(geometry, "coord", wbt::NodePtr(std::move(coord)));
  } else if (type != "Plane" && type != "IndexedFaceSet") {
    diagnostics_.warning(geometry.where,
                         fmt::format("the scale {} {} {} above this {} cannot be worked into it; "
                                     "scale what its file holds",
                                     scale.x, scale.y, scale.z, type));
  }
}

wbt::NodePtr Scaler::scale_shapes(wbt::Node copy, const Vec3& scale) {
  if (copy.type->name == "Shape") {
    set_field(copy, "geometry", shapes(copy.node("geometry"), scale));
  } else if (copy.type->name == "Group" || is_pose(copy)) {
    const Vec3 below = scaled(scale, magnitude(scale_of(copy)));
    if (is_pose(copy)) {
      set_placing(copy, {copy.rotation("rotation"), scaled(copy.vec3("translation"), scale)});
    }
    std::vector<wbt::NodePtr> children = copy.nodes("children");
    for (wbt::NodePtr& child : children) {
      child = shapes(child, below);
    }
    set_field(copy, "children", std::move(children));
    make_pose(copy);
  } else {
    scale_geometry(copy, scale);
  }
  return std::make_shared<wbt::Node>(std::move(copy));
}

wbt::NodePtr Scaler::scale_node(wbt::Node copy, const Vec3& scale) {
  static constexpr std::array<std::string_view, 5> kPoints{"anchor", "centerOfThrust",
                                                           "startOffset", "endOffset", "location"};
  const std::string_view type = copy.type->name;
  if (type == "Shape" || type == "CadShape" || type == "Skin") {
    wbt::Node transform = *pose_of({}, unscaled_.rewrite(std::make_shared<wbt::Node>(copy)));
    transform.type = wbt::find_node_type("Transform");
    set_field(transform, "scale", scale);
    return std::make_shared<wbt::Node>(std::move(transform));
  }
  for (const std::string_view point : kPoints) {
    if (copy.has(point)) {
      set_field(copy, point, tidy(scaled(copy.vec3(point), scale)));
    }
  }
  Vec3 below = scale;
  if (has_pose(copy)) {
    below = scaled(scale, magnitude(scale_of(copy)));
    if (copy.has("translation")) {
      set_field(copy, "translation", tidy(scaled(copy.vec3("translation"), scale)));
    }
    make_pose(copy);
  }
  scale_below(copy, below);
  return std::make_shared<wbt::Node>(std::move(copy));
}

void Scaler::scale_below(wbt::Node& node, const Vec3& scale) {
  for (wbt::Field& field : node.fields) {
    if (auto* one = std::get_if<wbt::NodePtr>(&field.value)) {
      *one = field.type->name == "boundingObject" ? shapes(*one, scale) : scaled_node(*one, scale);
    } else if (auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
      for (wbt::NodePtr& item : *several) {
        item = scaled_node(item, scale);
      }
    }
  }
}

}  // namespace

void use_modern_scale(wbt::WorldFile& world, Diagnostics& diagnostics) {
  Tree older(is_older);
  Scaler scaler(diagnostics);
  for (wbt::NodePtr& node : world.nodes) {
    if (older.any(node)) {
      node = scaler.scaled_node(node, kOne);
    }
  }
}

}  // namespace servosim
