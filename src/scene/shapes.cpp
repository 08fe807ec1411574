// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>

#include "base/limits.h"
#include "scene/checks.h"
#include "scene/mesh_file.h"
#include "scene/solid_builders.h"
#include "wbt/schema/accepted_nodes.h"

namespace servosim {

Mat3 axis_turn(const wbt::Node& geometry) {
  return wbt::geometry_axis_is_z(geometry.version)
             ? Mat3{}
             : rotation_matrix({{1.0, 0.0, 0.0}, -std::numbers::pi / 2.0});
}

AxisScale axis_scale(const wbt::Node& geometry, const Vec3& scale) {
  const bool z_up = wbt::geometry_axis_is_z(geometry.version);
  return {z_up ? scale.z : scale.y, std::max(scale.x, z_up ? scale.y : scale.z)};
}

namespace {

class ShapeReader {
 public:
  ShapeReader(MeshFiles& mesh_files, Findings& findings, std::vector<Shape>& shapes)
      : mesh_files_(mesh_files), findings_(findings), shapes_(shapes) {}

  void read(const wbt::Node& node, const Placement& at);

 private:
  void read_primitive(const wbt::Node& node, const Placement& at);
  bool read_sizes(const wbt::Node& node, const Vec3& scale, Shape& shape);
  std::shared_ptr<const Mesh> read_face_set(const wbt::Node& node, const Vec3& scale);

  MeshFiles& mesh_files_;
  Findings& findings_;
  std::vector<Shape>& shapes_;
};

void ShapeReader::read(const wbt::Node& node, const Placement& at) {
  const std::string_view type = node.type->name;
  if (type == "Shape") {
    if (const wbt::NodePtr& geometry = node.node("geometry")) {
      read(*geometry, at);
    } else {
      findings_.warning(node.where, "Shape without a geometry touches nothing");
    }
  } else if (wbt::groups_shapes(node)) {
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

void ShapeReader::read_primitive(const wbt::Node& node, const Placement& at) {
  Shape shape;
  shape.where = node.where;
  shape.pose = at.pose;
  const std::string_view type = node.type->name;
  if (type == "IndexedFaceSet" || type == "Mesh") {
    shape.type = ShapeType::Mesh;
    shape.mesh = type == "Mesh" ? mesh_files_.read(node, at.scale) : read_face_set(node, at.scale);
    if (shape.mesh == nullptr) {
      return;
    }
  } else if (type == "ElevationGrid") {
    if (read_elevation_grid(node, at.scale, findings_, shape)) {
      shapes_.push_back(std::move(shape));
    }
    return;
  } else if (!read_sizes(node, at.scale, shape)) {
    findings_.replacement(node.where, wbt::fault_in_bounding_object(node));
    return;
  }
  if (shape.type != ShapeType::Box && shape.type != ShapeType::Sphere &&
      shape.type != ShapeType::Mesh && !wbt::geometry_axis_is_z(node.version)) {
    shape.pose.rotation = shape.pose.rotation * axis_turn(node);
  }
  if (shape.degenerate) {
    findings_.replacement(node.where,
                          fmt::format("{} has a size that is not a positive number; it touches "
                                      "nothing and weighs 1 kg",
                                      type));
  }
  shapes_.push_back(std::move(shape));
}

// Returns false if the node is not a primitive.
bool ShapeReader::read_sizes(const wbt::Node& node, const Vec3& scale, Shape& shape) {
  const std::string_view type = node.type->name;
  const auto [along, across] = axis_scale(node, scale);
  const auto good = [](double x) { return std::isfinite(x) && x > 0.0 && x < kMaxFileCoordinate; };
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

// Adds a convex polygon as a fan.
void add_polygon(const std::vector<std::int32_t>& polygon, bool ccw, Mesh& mesh) {
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    add_triangle(
        mesh,
        {static_cast<std::uint32_t>(polygon[0]), static_cast<std::uint32_t>(polygon[i - 1]),
         static_cast<std::uint32_t>(polygon[i])},
        ccw);
  }
}

std::shared_ptr<const Mesh> ShapeReader::read_face_set(const wbt::Node& node, const Vec3& scale) {
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
  bool bad = !std::all_of(mesh->vertices.begin(), mesh->vertices.end(), is_in_range);
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
    const std::string fault =
        bad ? "has an index or a point that is out of range" : "has no triangle";
    findings_.warning(node.where, fmt::format("IndexedFaceSet {}; it is left out", fault),
                      MissingPart{Missing::Meshes, "IndexedFaceSet of a boundingObject",
                                  fmt::format("it {}", fault)});
    return nullptr;
  }
  return mesh;
}

}  // namespace

std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               MeshFiles& mesh_files, Findings& findings) {
  std::vector<Shape> shapes;
  ShapeReader(mesh_files, findings, shapes).read(bounding_object, {{}, scale});
  return shapes;
}

namespace {

bool is_length(double x) { return std::isfinite(x) && x > 0.0 && x < kMaxFileCoordinate; }

// Returns why a grid of this size is invalid, or an empty text if it is valid.
std::string fault_of_grid(const Grid& grid, std::int64_t given) {
  if (grid.columns < 2 || grid.rows < 2) {
    return fmt::format("its {} x {} points are less than 2 in a direction", grid.columns,
                       grid.rows);
  }
  const double width = grid.dx * (grid.columns - 1);
  const double depth = grid.dy * (grid.rows - 1);
  if (!is_length(grid.dx) || !is_length(grid.dy) || !is_length(width) || !is_length(depth)) {
    return fmt::format("its spacing {} x {} or its extent {} x {} is not between 0 and 1e6 m",
                       grid.dx, grid.dy, width, depth);
  }
  const std::int64_t points = std::int64_t{grid.columns} * grid.rows;
  if (points > kMaxGridPoints || points - given > kMaxOmittedGridPoints) {
    return fmt::format("{} points are too many for {} heights", points, given);
  }
  return {};
}

MissingPart missing_grid(const std::string& fault) {
  return {Missing::Meshes, "ElevationGrid of a boundingObject", fault};
}

// Reverses the rows, which run against the y axis of a Grid in old files.
void reverse_rows(Grid& grid) {
  for (int low = 0, high = grid.rows - 1; low < high; ++low, --high) {
    const auto row = grid.heights.begin() + std::ptrdiff_t{low} * grid.columns;
    std::swap_ranges(row, row + grid.columns,
                     grid.heights.begin() + std::ptrdiff_t{high} * grid.columns);
  }
}

// Reads the heights. Omitted heights are 0. Returns false if one is out of range.
bool read_heights(const CheckedFields& checked, double scale, Grid& grid) {
  const std::vector<double>& given = checked.node().numbers("height");
  const auto points = static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows);
  if (given.size() != points) {
    checked.warn_replaced(
        "height",
        fmt::format(
            "height has {} values for {} x {} points; {}", given.size(), grid.columns, grid.rows,
            given.size() > points ? "the last ones are not used" : "0 is used for those left out"));
  }
  grid.heights.assign(points, 0.0);
  const std::size_t used = std::min(points, given.size());
  for (std::size_t i = 0; i < used; ++i) {
    grid.heights[i] = scale * given[i];
    if (!(std::abs(grid.heights[i]) < kMaxFileCoordinate)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool read_elevation_grid(const wbt::Node& node, const Vec3& scale, Findings& findings,
                         Shape& shape) {
  const CheckedFields checked(node, findings);
  const bool z_up = wbt::geometry_axis_is_z(node.version);
  auto grid = std::make_shared<Grid>();
  grid->columns = node.integer("xDimension");
  grid->rows = node.integer(z_up ? "yDimension" : "zDimension");
  grid->dx = node.number("xSpacing") * scale.x;
  grid->dy = node.number(z_up ? "ySpacing" : "zSpacing") * (z_up ? scale.y : scale.z);
  const auto given = static_cast<std::int64_t>(node.numbers("height").size());
  if (const std::string fault = fault_of_grid(*grid, given); !fault.empty()) {
    findings.warning(node.where, fmt::format("ElevationGrid is left out: {}", fault),
                     missing_grid(fault));
    return false;
  }
  if (!read_heights(checked, z_up ? scale.z : scale.y, *grid)) {
    const std::string fault = "a height is not between -1e6 and 1e6 m";
    findings.warning(node.where_of("height"), fmt::format("ElevationGrid is left out: {}", fault),
                     missing_grid(fault));
    return false;
  }
  grid->thickness = checked.magnitude("thickness");
  if (grid->thickness > kMaxFileCoordinate) {
    checked.warn_of_replacement("thickness", fmt::format("{}", grid->thickness), "1e6",
                                "it must be at most 1e6 m");
    grid->thickness = kMaxFileCoordinate;
  }
  if (!z_up) {
    // x and z become x and −y, and the corner of the grid moves from z = 0 to the last row.
    constexpr Mat3 kQuarterTurn{{1, 0, 0, 0, 0, 1, 0, -1, 0}};  // about x, backwards
    shape.pose = shape.pose * Pose{kQuarterTurn, {0.0, 0.0, grid->dy * (grid->rows - 1)}};
    reverse_rows(*grid);
  }
  shape.type = ShapeType::Grid;
  shape.grid = std::move(grid);
  return true;
}

double fraction_of(const wbt::Node& node, std::string_view field) {
  const wbt::Value& value = node.value(field);
  const auto* const color = std::get_if<Vec3>(&value);
  const double number = color != nullptr ? color->x : std::get<double>(value);
  return std::isfinite(number) ? std::clamp(number, 0.0, 1.0) : 0.0;
}

}  // namespace servosim
