// SPDX-License-Identifier: Apache-2.0
// Reads the Shapes of a world as infra-red sensors detect them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>

#include "scene/checks.h"
#include "scene/face_set.h"
#include "scene/ink_layer.h"
#include "scene/mesh_file.h"
#include "scene/solid_builders.h"
#include "scene/surface_look.h"
#include "scene/texture_reader.h"
#include "wbt/proto/proto.h"

namespace servosim {
namespace {

// Reads the surface of one Shape. Red light counts, and rough surfaces scatter it. Without an
// appearance the Shape is white and smooth.
class SurfaceReader {
 public:
  SurfaceReader(MeshFiles& files, Findings& findings)
      : findings_(findings),
        textures_(files, findings, "infra-red sensors see the Shape without it") {}

  SurfaceLook read(const wbt::Node& shape) {
    const wbt::NodePtr& appearance = shape.node("appearance");
    SurfaceLook surface;
    if (!appearance) {
      report_if_lost(shape, appearance);
      return surface;
    }
    if (wbt::is_of_own_proto(findings_.diagnostics().sources(), appearance->where)) {
      if (is_of_type(appearance, "PBRAppearance")) {
        report_if_lost(shape, appearance->node("baseColorMap"));
      }
      return own_look(*appearance);
    }
    if (is_of_type(appearance, "PBRAppearance")) {
      surface.red = surface.red_of_display = opaque_red(*appearance, "baseColor");
      surface.roughness = fraction_of(*appearance, "roughness");
      surface.red_map = textures_.texture(*appearance, "baseColorMap");
      if (surface.red_map.image != nullptr) {
        surface.roughness_map = textures_.texture(*appearance, "roughnessMap");
        surface.occlusion_map = textures_.texture(*appearance, "occlusionMap");
      }
    } else if (is_of_type(appearance, "Appearance")) {
      surface.red_map = textures_.texture(*appearance, "texture");
      if (const wbt::NodePtr& material = appearance->node("material");
          is_of_type(material, "Material")) {
        surface.red_of_display = 1.0 - fraction_of(*material, "transparency");
        surface.red = surface.red_map.image != nullptr ? surface.red_of_display
                                                       : opaque_red(*material, "diffuseColor");
      }
    } else {
      return surface;
    }
    surface.transform = TextureReader::transform(*appearance);
    return surface;
  }

 private:
  // servosim's own PROTOs have looks for users only. The look of the original is unknown, so it
  // counts as white, except for a colour that is a field of the PROTO.
  SurfaceLook own_look(const wbt::Node& appearance) const {
    SurfaceLook surface;
    const wbt::Field* const color = appearance.find("baseColor");
    if (color != nullptr && wbt::is_parameter(findings_.diagnostics().sources(), *color)) {
      surface.red = opaque_red(appearance, "baseColor");
    }
    return surface;
  }

  static double opaque_red(const wbt::Node& node, std::string_view color) {
    return fraction_of(node, color) * (1.0 - fraction_of(node, "transparency"));
  }

  // `look` is the appearance, or the picture of a built-in PROTO that is given an appearance.
  void report_if_lost(const wbt::Node& shape, const wbt::NodePtr& look) {
    if (!wbt::is_lost(look)) {
      return;
    }
    const std::string lost = "infra-red sensors see the Shape as white";
    findings_.warning(shape.where_of("appearance"),
                      fmt::format("the PROTO of this Shape's appearance is missing: {}", lost),
                      MissingPart{Missing::Pictures, "appearance of a Shape",
                                  fmt::format("{}; a warning names the PROTO", lost)});
  }

  Findings& findings_;
  TextureReader textures_;
};

// A mesh whose axis is z or, in old files, y.
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

// For infra-red sensors a Plane has edges and only one side.
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

// In Webots it is round for infra-red rays, whatever its subdivision: this one is so to 0.00001 of
// its radius.
std::shared_ptr<const Mesh> read_cone(const wbt::Node& node, const Vec3& scale) {
  constexpr std::uint32_t edges = 720;
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

// Reads geometries that no boundingObject contains, or that differ there.
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

using PlacesInPicture = std::vector<std::array<double, 2>>;

// Lays a picture on a mesh that has no places for it.
void spread(const std::vector<Vec3>& vertices, PictureMapping& mapping) {
  mapping.vertices = std::make_shared<const PlacesInPicture>(spread_over_box(vertices));
  mapping.ink = InkForm::Spread;
  mapping.low = mapping.high = vertices.empty() ? Vec3{} : vertices.front();
  for (const Vec3& v : vertices) {
    mapping.low = {std::min(mapping.low.x, v.x), std::min(mapping.low.y, v.y),
                   std::min(mapping.low.z, v.z)};
    mapping.high = {std::max(mapping.high.x, v.x), std::max(mapping.high.y, v.y),
                    std::max(mapping.high.z, v.z)};
  }
}

// `places` are those of the vertices, or empty if they are not known.
Shape with_places(std::shared_ptr<const Mesh> mesh, PlacesInPicture places, SourceLocation where,
                  PictureMapping& mapping) {
  if (places.size() == mesh->vertices.size()) {
    mapping.vertices = std::make_shared<const PlacesInPicture>(std::move(places));
  } else {
    spread(mesh->vertices, mapping);
  }
  Shape shape;
  shape.type = ShapeType::Mesh;
  shape.where = where;
  shape.mesh = std::move(mesh);
  return shape;
}

// Returns a Mesh with a place in the picture for each vertex. Returns nothing, with a warning, if
// the mesh has no file.
std::optional<Shape> read_mesh(const wbt::Node& node, const Vec3& scale, MeshFiles& files,
                               PictureMapping& mapping) {
  PlacesInPicture places;
  std::shared_ptr<const Mesh> mesh = files.read_look(node, scale, places);
  return mesh == nullptr
             ? std::nullopt
             : std::optional(with_places(std::move(mesh), std::move(places), node.where, mapping));
}

// Returns an IndexedFaceSet with a place in the picture for each vertex, or nothing if it is
// invalid.
std::optional<Shape> read_face_set(const wbt::Node& node, const Vec3& scale,
                                   PictureMapping& mapping) {
  const std::shared_ptr<const DrawnMesh> drawn = drawn_face_set(node);
  if (drawn == nullptr) {
    return std::nullopt;
  }
  auto mesh = std::make_shared<Mesh>();
  for (std::size_t i = 0; i + 2 < drawn->positions.size(); i += 3) {
    const float* const p = &drawn->positions[i];
    mesh->vertices.push_back(scaled({p[0], p[1], p[2]}, scale));
  }
  for (std::size_t i = 0; i + 2 < drawn->indices.size(); i += 3) {
    add_triangle(*mesh, {drawn->indices[i], drawn->indices[i + 1], drawn->indices[i + 2]}, true);
  }
  if (mesh->triangles.empty() ||
      !std::all_of(mesh->vertices.begin(), mesh->vertices.end(), is_in_range)) {
    return std::nullopt;
  }
  PlacesInPicture uvs;
  for (std::size_t i = 0; i + 1 < drawn->uvs.size(); i += 2) {
    uvs.push_back({drawn->uvs[i], 1.0 - drawn->uvs[i + 1]});  // in files v points upwards
  }
  return with_places(std::move(mesh), std::move(uvs), node.where, mapping);
}

PictureMapping mapping_of(const wbt::Node& geometry, const Vec3& scale) {
  static constexpr std::pair<std::string_view, PictureForm> kForms[]{
      {"Box", PictureForm::Box},           {"Plane", PictureForm::Plane},
      {"Sphere", PictureForm::Sphere},     {"Cylinder", PictureForm::Cylinder},
      {"Capsule", PictureForm::Capsule},   {"Cone", PictureForm::Cone},
      {"ElevationGrid", PictureForm::Grid}};
  PictureMapping mapping;
  const auto* const known = std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& f) {
    return f.first == geometry.type->name;
  });
  mapping.form = known != std::end(kForms) ? known->second : PictureForm::Vertices;
  mapping.ink = ink_form_of(geometry.type->name);
  // The axes of the other forms are turned when their sizes are read.
  const bool own_axes = mapping.form == PictureForm::Box || mapping.form == PictureForm::Plane ||
                        mapping.form == PictureForm::Sphere || mapping.form == PictureForm::Cone;
  mapping.y_is_up = own_axes && !wbt::geometry_axis_is_z(geometry.version);
  if (mapping.form == PictureForm::Plane) {
    const auto& size = std::get<wbt::Vec2>(geometry.value("size"));
    mapping.size = mapping.y_is_up ? Vec3{size.x * scale.x, size.y * scale.z, 0.0}
                                   : Vec3{size.x * scale.x, size.y * scale.y, 0.0};
  } else if (mapping.form == PictureForm::Cone) {
    const auto [along, across] = axis_scale(geometry, scale);
    mapping.size = {geometry.number("bottomRadius") * across, 0.0,
                    geometry.number("height") * along};
  }
  return mapping;
}

}  // namespace

namespace {

template <typename Predicate>
bool has_device(const Scene& scene, const Predicate& is_wanted) {
  return std::any_of(scene.robots.begin(), scene.robots.end(), [&](const RobotSpec& robot) {
    return std::any_of(robot.devices.begin(), robot.devices.end(), is_wanted);
  });
}

}  // namespace

bool has_infra_red_sensor(const Scene& scene) {
  return has_device(scene, [](const DeviceSpec& device) {
    return device.body_sensor && device.body_sensor->ray_type == RayType::InfraRed;
  });
}

bool has_ranging_sensor(const Scene& scene) {
  return has_device(scene, [](const DeviceSpec& device) { return device.ranging.has_value(); });
}

bool has_radar(const Scene& scene) {
  return has_device(scene, [](const DeviceSpec& device) { return device.radar.has_value(); });
}

bool has_camera(const Scene& scene) {
  return has_device(scene, [](const DeviceSpec& device) { return device.node_type == "Camera"; });
}

bool has_pen(const Scene& scene) {
  return has_device(scene, [](const DeviceSpec& device) { return device.pen.has_value(); });
}

void read_visible_shape(const wbt::Node& node, const Placement& at, int solid, bool is_painted,
                        MeshFiles& mesh_files, Findings& findings,
                        std::vector<VisibleShape>& shapes) {
  const wbt::NodePtr& geometry = node.node("geometry");
  if (!geometry) {
    return;
  }
  const std::string_view type = geometry->type->name;
  if (type == "IndexedLineSet" || type == "PointSet") {
    return;
  }
  SurfaceLook surface = SurfaceReader(mesh_files, findings).read(node);
  PictureMapping mapping = mapping_of(*geometry, at.scale);
  std::vector<Shape> read;
  std::optional<Shape> faces;
  const bool has_places = surface.has_picture() || is_painted;
  const bool is_mesh_with_picture = type == "Mesh" && has_places;
  if (is_mesh_with_picture) {
    faces = read_mesh(*geometry, at.scale, mesh_files, mapping);
  } else if (type == "IndexedFaceSet" && has_places) {
    faces = read_face_set(*geometry, at.scale, mapping);
  }
  if (faces) {
    read.push_back(std::move(*faces));
  } else if (is_mesh_with_picture) {
    return;  // a warning says that its file cannot be read
  } else if (type == "Plane" || type == "Cone") {
    read = read_triangles(*geometry, at.scale);
  } else {
    const bool has_sizes =
        type == "Box" || type == "Sphere" || type == "Cylinder" || type == "Capsule";
    Diagnostics ignored;  // its messages are about bounding objects
    Findings of_ignored(ignored);
    read = read_shapes(*geometry, at.scale, mesh_files, has_sizes ? of_ignored : findings);
    if (type == "IndexedFaceSet" && has_places && !read.empty()) {
      spread(read[0].mesh->vertices, mapping);  // its faces are too thin to be drawn
    }
  }
  const auto shared = std::make_shared<const SurfaceLook>(std::move(surface));
  for (Shape& shape : read) {
    if (shape.degenerate) {
      findings.replacement(geometry->where,
                           fmt::format("{} has a size that is not a positive number; infra-red "
                                       "sensors do not detect it",
                                       type));
      continue;
    }
    shape.pose = at.pose * shape.pose;
    const double radius = is_painted ? bounding_radius(shape) : 0.0;
    shapes.push_back({solid, std::move(shape), shared, mapping, {}, -1, radius});
  }
}

}  // namespace servosim
