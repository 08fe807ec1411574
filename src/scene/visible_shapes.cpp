// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>

#include "scene/checks.h"
#include "scene/mesh_parts.h"
#include "scene/solid_builders.h"

namespace servosim {

namespace {

// The field in [0, 1], 0 if it is no number; of a colour its red part.
double share(const wbt::Node& node, std::string_view field) {
  const wbt::Value& value = node.value(field);
  const auto* const color = std::get_if<Vec3>(&value);
  const double number = color != nullptr ? color->x : std::get<double>(value);
  return std::isfinite(number) ? std::clamp(number, 0.0, 1.0) : 0.0;
}

bool is_there(const wbt::NodePtr& node, std::string_view type) {
  return node && node->type->name == type;
}

// How much infra-red light the Shape throws back, in [0.2, 1], by Webots' rule: red light counts,
// rough surfaces scatter it. Without an appearance it is white and smooth.
double reflection_of(const wbt::Node& shape) {
  double red = 1.0;
  double roughness = 0.0;
  const wbt::NodePtr& looks = shape.node("appearance");
  if (is_there(looks, "PBRAppearance")) {
    red = share(*looks, "baseColor") * (1.0 - share(*looks, "transparency"));
    roughness = share(*looks, "roughness");
  } else if (is_there(looks, "Appearance")) {
    if (const wbt::NodePtr& material = looks->node("material"); is_there(material, "Material")) {
      red = share(*material, "diffuseColor") * (1.0 - share(*material, "transparency"));
    }
  }
  return 0.2 + 0.8 * red * (1.0 - 0.5 * roughness);
}

// A mesh whose vertices stand along z or, in old files, along y.
class UprightMesh {
 public:
  UprightMesh(const wbt::Node& node, const Vec3& scale)
      : z_up_(wbt::geometry_axis_is_z(node.version)), scale_(scale) {}

  void add_vertex(const Vec3& v) {
    mesh_->vertices.push_back(scaled(z_up_ ? v : Vec3{v.x, v.z, -v.y}, scale_));
  }
  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    add_triangle(*mesh_, {a, b, c}, true);
  }
  std::shared_ptr<const Mesh> take() { return std::move(mesh_); }

 private:
  bool z_up_;
  Vec3 scale_;
  std::shared_ptr<Mesh> mesh_ = std::make_shared<Mesh>();
};

// It has an edge here, and one side.
std::shared_ptr<const Mesh> read_plane(const wbt::Node& node, const Vec3& scale) {
  const auto& size = std::get<wbt::Vec2>(node.value("size"));
  UprightMesh mesh(node, scale);
  for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
    mesh.add_vertex({x * size.x, y * size.y, 0.0});
  }
  if (size.x > 0.0 && size.y > 0.0) {
    mesh.add(0, 1, 2);
    mesh.add(0, 2, 3);
  }
  return mesh.take();
}

std::shared_ptr<const Mesh> read_cone(const wbt::Node& node, const Vec3& scale) {
  constexpr int kMostEdges = 1000;
  const auto edges = static_cast<std::uint32_t>(
      std::clamp(static_cast<int>(node.integer("subdivision")), 3, kMostEdges));
  const double radius = node.number("bottomRadius");
  const double height = node.number("height");
  UprightMesh mesh(node, scale);
  mesh.add_vertex({0.0, 0.0, 0.5 * height});
  mesh.add_vertex({0.0, 0.0, -0.5 * height});
  for (std::uint32_t i = 0; i < edges; ++i) {
    const double turn = 2.0 * std::numbers::pi * i / edges;
    mesh.add_vertex({radius * std::cos(turn), radius * std::sin(turn), -0.5 * height});
  }
  for (std::uint32_t i = 0; radius > 0.0 && height > 0.0 && i < edges; ++i) {
    const std::uint32_t here = 2 + i;
    const std::uint32_t next = 2 + (i + 1) % edges;
    if (node.boolean("side")) {
      mesh.add(0, here, next);
    }
    if (node.boolean("bottom")) {
      mesh.add(1, next, here);
    }
  }
  return mesh.take();
}

// What a boundingObject cannot hold, or holds otherwise.
std::vector<Shape> read_triangles(const wbt::Node& geometry, const Vec3& scale) {
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.where = geometry.where;
  shape.mesh =
      geometry.type->name == "Plane" ? read_plane(geometry, scale) : read_cone(geometry, scale);
  shape.degenerate =
      shape.mesh->triangles.empty() ||
      !std::all_of(shape.mesh->vertices.begin(), shape.mesh->vertices.end(), is_in_range);
  return {shape};
}

}  // namespace

bool sees_shapes(const Scene& scene) {
  const auto sees = [](const DeviceSpec& device) {
    return device.solid_sensor && device.solid_sensor->kind == SolidSensorKind::InfraRed;
  };
  return std::any_of(scene.robots.begin(), scene.robots.end(), [&](const RobotSpec& robot) {
    return std::any_of(robot.devices.begin(), robot.devices.end(), sees);
  });
}

void read_visible_shape(const wbt::Node& node, const Placement& at, int solid,
                        MeshFiles& mesh_files, Diagnostics& diagnostics,
                        std::vector<VisibleShape>& shapes) {
  const wbt::NodePtr& geometry = node.node("geometry");
  if (!geometry) {
    return;
  }
  const std::string_view type = geometry->type->name;
  if (type == "IndexedLineSet" || type == "PointSet") {
    return;
  }
  const double reflection = reflection_of(node);
  const bool has_triangles = type == "Plane" || type == "Cone";
  const bool has_sizes =
      type == "Box" || type == "Sphere" || type == "Cylinder" || type == "Capsule";
  Diagnostics ignored;  // says what a boundingObject with a bad size does
  for (Shape& shape : has_triangles ? read_triangles(*geometry, at.scale)
                                    : read_shapes(*geometry, at.scale, mesh_files,
                                                  has_sizes ? ignored : diagnostics)) {
    if (shape.degenerate) {
      diagnostics.warning(geometry->where,
                          fmt::format("{} has a size that is not a positive number; infra-red "
                                      "sensors do not see it",
                                      type));
      continue;
    }
    shape.pose = at.pose * shape.pose;
    shapes.push_back({solid, std::move(shape), reflection});
  }
}

bool has_texture(const wbt::Node& shape) {
  const wbt::NodePtr& looks = shape.node("appearance");
  const auto has = [&](std::string_view field) { return looks->node(field) != nullptr; };
  return (is_there(looks, "Appearance") && has("texture")) ||
         (is_there(looks, "PBRAppearance") &&
          (has("baseColorMap") || has("roughnessMap") || has("occlusionMap")));
}

}  // namespace servosim
