// SPDX-License-Identifier: Apache-2.0
#include "sim/solid_looks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>

#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

// Finds the Solids with recognitionColors or a radarCrossSection.
class LookSearch {
 public:
  explicit LookSearch(const Scene& scene) {
    for (std::size_t s = 0; s < scene.solids.size(); ++s) {
      numbers_.emplace(scene.solids[s].node, s);
    }
    looks.resize(scene.solids.size());
  }

  void search(const wbt::NodePtr& node) {
    if (node == nullptr) {
      return;
    }
    if (const auto solid = numbers_.find(node->id); solid != numbers_.end()) {
      SolidLook& look = looks[solid->second];
      if (node->has("recognitionColors")) {
        look.colors = node->vec3s("recognitionColors");
        look.model = node->type->field("model") != nullptr ? node->string("model") : "";
      }
      if (node->has("radarCrossSection")) {
        look.radar_cross_section = node->number("radarCrossSection");
      }
    }
    for (const wbt::Field& field : node->fields) {
      if (const auto* one = std::get_if<wbt::NodePtr>(&field.value)) {
        search(*one);
      } else if (const auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
        std::for_each(several->begin(), several->end(),
                      [this](const wbt::NodePtr& child) { search(child); });
      }
    }
  }

  std::vector<SolidLook> looks;

 private:
  std::unordered_map<std::uint32_t, std::size_t> numbers_;
};

// The distance of the farthest point of a shape that is no Mesh from its middle.
double reach_of(const DrawnShape& shape) {
  switch (shape.form) {
    case DrawnShape::Form::Box:
      return 0.5 * norm(shape.size);
    case DrawnShape::Form::Plane:
      return 0.5 * std::hypot(shape.size.x, shape.size.y);
    case DrawnShape::Form::Sphere:
      return shape.radius;
    case DrawnShape::Form::Capsule:
      return shape.radius + 0.5 * shape.height;
    case DrawnShape::Form::Cylinder:
    case DrawnShape::Form::Cone:
      return std::hypot(shape.radius, 0.5 * shape.height);
    case DrawnShape::Form::Mesh:
      break;
  }
  return 0.0;
}

}  // namespace

std::vector<SolidLook> solid_looks(const wbt::WorldFile& file, const Scene& scene) {
  LookSearch search(scene);
  for (const wbt::NodePtr& node : file.nodes) {
    search.search(node);
  }
  return std::move(search.looks);
}

BoundingSphere sphere_around(const DrawnShape& shape) {
  const Vec3& scale = shape.scale;
  if (shape.form != DrawnShape::Form::Mesh || shape.mesh == nullptr) {
    const double largest = std::max({std::abs(scale.x), std::abs(scale.y), std::abs(scale.z)});
    return {shape.pose.translation, largest * reach_of(shape)};
  }
  const std::vector<float>& positions = shape.mesh->positions;
  const auto point = [&](std::size_t i) {
    return scaled({positions[i], positions[i + 1], positions[i + 2]}, scale);
  };
  if (positions.empty()) {
    return {shape.pose.translation, 0.0};
  }
  Vec3 low = point(0);
  Vec3 high = low;
  for (std::size_t i = 3; i + 2 < positions.size(); i += 3) {
    const Vec3 p = point(i);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3 middle = 0.5 * (low + high);
  double radius = 0.0;
  for (std::size_t i = 0; i + 2 < positions.size(); i += 3) {
    radius = std::max(radius, norm(point(i) - middle));
  }
  return {shape.pose * middle, radius};
}

BoundingSphere sphere_around(const BoundingSphere& a, const BoundingSphere& b) {
  const double apart = norm(b.center - a.center);
  if (apart + b.radius <= a.radius) {
    return a;
  }
  if (apart + a.radius <= b.radius) {
    return b;
  }
  const double radius = 0.5 * (apart + a.radius + b.radius);
  return {a.center + (radius - a.radius) / apart * (b.center - a.center), radius};
}

}  // namespace servosim
