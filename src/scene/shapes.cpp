// SPDX-License-Identifier: Apache-2.0
#include "scene/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene/elevation_grid.h"
#include "scene/placement.h"

namespace servosim {

namespace {

constexpr double kLargest =
    1e6;  // of sizes and coordinates [m]; ODE keeps meshes in single precision

class ShapeReader {
 public:
  ShapeReader(Diagnostics& diagnostics, std::vector<Shape>& shapes)
      : diagnostics_(diagnostics), shapes_(shapes) {}

  void read(const wbt::Node& node, const Placement& at);

 private:
  void read_primitive(const wbt::Node& node, const Placement& at);
  bool read_sizes(const wbt::Node& node, const Vec3& scale, Shape& shape);
  std::shared_ptr<const Mesh> read_mesh(const wbt::Node& node, const Vec3& scale);
  void add_polygon(const std::vector<std::int32_t>& polygon, bool ccw, Mesh& mesh);

  Diagnostics& diagnostics_;
  std::vector<Shape>& shapes_;
};

void ShapeReader::read(const wbt::Node& node, const Placement& at) {
  const std::string_view type = node.type->name;
  if (type == "Shape") {
    if (const wbt::NodePtr& geometry = node.node("geometry")) {
      read(*geometry, at);
    }
  } else if (type == "Group" || type == "Pose" || type == "Transform") {
    const Placement below = at.inside(node);
    for (const wbt::NodePtr& child : node.nodes("children")) {
      if (child) {
        read(*child, below);
      }
    }
  } else {
    read_primitive(node, at);
  }
}

// What a boundingObject may not hold at all, in any version, is no shape here either.
void ShapeReader::read_primitive(const wbt::Node& node, const Placement& at) {
  Shape shape;
  shape.where = node.where;
  shape.pose = at.pose;
  const std::string_view type = node.type->name;
  if (type == "IndexedFaceSet") {
    shape.type = ShapeType::Mesh;
    shape.mesh = read_mesh(node, at.scale);
    if (shape.mesh == nullptr) {
      return;
    }
  } else if (type == "ElevationGrid") {
    if (read_elevation_grid(node, at.scale, diagnostics_, shape)) {
      shapes_.push_back(std::move(shape));
    }
    return;
  } else if (!read_sizes(node, at.scale, shape)) {
    diagnostics_.warning(
        node.where, fmt::format("{} in a boundingObject is not simulated; it is left out", type));
    return;
  }
  if (shape.type != ShapeType::Box && shape.type != ShapeType::Sphere &&
      shape.type != ShapeType::Mesh && !wbt::geometry_axis_is_z(node.version)) {
    // These stood along y: turn z onto y.
    shape.pose.rotation =
        shape.pose.rotation * rotation_matrix({{1.0, 0.0, 0.0}, -std::numbers::pi / 2.0});
  }
  if (shape.degenerate) {
    diagnostics_.warning(node.where,
                         fmt::format("{} has a size that is not a positive number; it touches "
                                     "nothing and weighs 1 kg",
                                     type));
  }
  shapes_.push_back(std::move(shape));
}

// False if the node is no primitive that is simulated.
bool ShapeReader::read_sizes(const wbt::Node& node, const Vec3& scale, Shape& shape) {
  const std::string_view type = node.type->name;
  const bool z_up = wbt::geometry_axis_is_z(node.version);
  const double along = z_up ? scale.z : scale.y;
  const double across = std::max(scale.x, z_up ? scale.y : scale.z);
  const auto good = [](double x) { return std::isfinite(x) && x > 0.0 && x < kLargest; };
  if (type == "Box") {
    shape.type = ShapeType::Box;
    shape.size = scaled(node.vec3("size"), scale);
    shape.degenerate = !good(shape.size.x) || !good(shape.size.y) || !good(shape.size.z);
  } else if (type == "Sphere") {
    shape.type = ShapeType::Sphere;
    shape.radius = node.number("radius") * std::max({scale.x, scale.y, scale.z});
    shape.degenerate = !good(shape.radius);
  } else if (type == "Cylinder" || type == "Capsule") {
    shape.type = type == "Cylinder" ? ShapeType::Cylinder : ShapeType::Capsule;
    shape.radius = node.number("radius") * across;
    shape.height = node.number("height") * along;
    shape.degenerate = !good(shape.radius) || !good(shape.height);
  } else if (type == "Plane") {
    shape.type = ShapeType::Plane;
  } else {
    return false;
  }
  return true;
}

void ShapeReader::add_polygon(const std::vector<std::int32_t>& polygon, bool ccw, Mesh& mesh) {
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    auto a = static_cast<std::uint32_t>(polygon[0]);
    auto b = static_cast<std::uint32_t>(polygon[i - 1]);
    auto c = static_cast<std::uint32_t>(polygon[i]);
    if (!ccw) {
      std::swap(b, c);
    }
    const Vec3 edge1 = mesh.vertices[b] - mesh.vertices[a];
    const Vec3 edge2 = mesh.vertices[c] - mesh.vertices[a];
    if (norm(cross(edge1, edge2)) > 1e-20) {
      mesh.triangles.push_back({a, b, c});
    }
  }
}

std::shared_ptr<const Mesh> ShapeReader::read_mesh(const wbt::Node& node, const Vec3& scale) {
  const wbt::NodePtr& coord = node.node("coord");
  auto mesh = std::make_shared<Mesh>();
  if (coord && coord->type->name == "Coordinate") {
    for (const Vec3& point : coord->vec3s("point")) {
      mesh->vertices.push_back(scaled(point, scale));
    }
  }
  const bool ccw = node.boolean("ccw");
  const auto count = static_cast<std::int32_t>(mesh->vertices.size());
  std::vector<std::int32_t> polygon;
  bool bad = std::any_of(mesh->vertices.begin(), mesh->vertices.end(), [](const Vec3& v) {
    return !is_finite(v) || std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) >= kLargest;
  });
  for (const std::int32_t index : node.integers("coordIndex")) {
    if (index == -1) {
      add_polygon(polygon, ccw, *mesh);
      polygon.clear();
    } else if (index < 0 || index >= count) {
      bad = true;
    } else {
      polygon.push_back(index);
    }
  }
  add_polygon(polygon, ccw, *mesh);
  if (bad || mesh->triangles.empty()) {
    diagnostics_.warning(node.where,
                         bad ? "IndexedFaceSet has an index or a point that is out of range; it is "
                               "left out"
                             : "IndexedFaceSet has no triangle; it is left out");
    return nullptr;
  }
  return mesh;
}

}  // namespace

std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               Diagnostics& diagnostics) {
  std::vector<Shape> shapes;
  ShapeReader(diagnostics, shapes).read(bounding_object, {{}, scale});
  return shapes;
}

}  // namespace servosim
