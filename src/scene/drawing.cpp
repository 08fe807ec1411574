// SPDX-License-Identifier: Apache-2.0
#include "scene/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>
#include <utility>

#include "base/assert.h"
#include "scene/face_set.h"
#include "scene/finish_reader.h"
#include "scene/ink_layer.h"
#include "scene/mesh_triangles.h"
#include "scene/scene_builder.h"
#include "scene/solid_builders.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

using Form = DrawnShape::Form;

// The colour, opacity and picture of a Shape.
struct Look {
  std::optional<Vec3> color;
  std::optional<double> opacity;
  std::shared_ptr<const Picture> picture;
  std::array<double, 2> repeats{1.0, 1.0};

  void give(DrawnShape& shape) const {
    shape.color = color;
    shape.opacity = opacity;
    shape.picture = picture;
    shape.repeats = repeats;
  }
};

Vec3 color_of(const wbt::Node& node, std::string_view field) {
  const Vec3 color = node.vec3(field);
  const auto part = [](double x) { return std::isfinite(x) ? std::clamp(x, 0.0, 1.0) : 0.0; };
  return {part(color.x), part(color.y), part(color.z)};
}

std::shared_ptr<DrawnMesh> drawn_mesh(const Mesh& mesh) {
  auto drawn = std::make_shared<DrawnMesh>();
  for (const Vec3& v : mesh.vertices) {
    for (const double x : {v.x, v.y, v.z}) {
      drawn->positions.push_back(static_cast<float>(x));
    }
  }
  for (const auto& triangle : mesh.triangles) {
    drawn->indices.insert(drawn->indices.end(), triangle.begin(), triangle.end());
  }
  return drawn;
}

void add_look(const MeshPart& part, DrawnMesh& drawn) {
  for (const Vec3& n : part.normals) {
    for (const double x : {n.x, n.y, n.z}) {
      drawn.normals.push_back(static_cast<float>(x));
    }
  }
  for (const auto& uv : part.uvs) {
    for (const double x : uv) {
      drawn.uvs.push_back(static_cast<float>(x));
    }
  }
}

std::shared_ptr<DrawnMesh> drawn_part(const MeshPart& part, bool ccw) {
  auto drawn = drawn_mesh(part.mesh);
  add_look(part, *drawn);
  for (std::size_t i = 0; !ccw && i < drawn->indices.size(); i += 3) {
    std::swap(drawn->indices[i + 1], drawn->indices[i + 2]);
  }
  return drawn;
}

// Returns the surface of the grid, seen from above.
std::shared_ptr<DrawnMesh> drawn_grid(const Grid& grid) {
  auto drawn = std::make_shared<DrawnMesh>();
  const auto columns = static_cast<std::uint32_t>(grid.columns);
  const auto rows = static_cast<std::uint32_t>(grid.rows);
  for (std::uint32_t j = 0; j < rows; ++j) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      for (const double x : {i * grid.dx, j * grid.dy, grid.heights[i + j * columns]}) {
        drawn->positions.push_back(static_cast<float>(x));
      }
      drawn->uvs.push_back(static_cast<float>(i) / static_cast<float>(columns - 1));
      drawn->uvs.push_back(static_cast<float>(j) / static_cast<float>(rows - 1));
      if (i + 1 < columns && j + 1 < rows) {
        const std::uint32_t here = i + j * columns;
        // Webots cuts a cell from its corner i, j to i + 1, j + 1.
        drawn->indices.insert(drawn->indices.end(), {here, here + 1, here + columns + 1, here,
                                                     here + columns + 1, here + columns});
      }
    }
  }
  return drawn;
}

const std::vector<Vec3>& points_of(const wbt::Node& geometry, std::string_view field,
                                   std::string_view list) {
  static const std::vector<Vec3> kNone;
  const wbt::NodePtr& node = geometry.node(field);
  return node != nullptr && node->type->field(list) != nullptr ? node->vec3s(list) : kNone;
}

// A point that is no number is where the first good one is, so that the size of the Shape is right.
std::shared_ptr<DrawnMesh> drawn_vertices(const std::vector<Vec3>& points) {
  auto drawn = std::make_shared<DrawnMesh>();
  const auto good = std::find_if(points.begin(), points.end(), is_in_range);
  if (good == points.end()) {
    return drawn;
  }
  for (const Vec3& point : points) {
    const Vec3& p = is_in_range(point) ? point : *good;
    for (const double x : {p.x, p.y, p.z}) {
      drawn->positions.push_back(static_cast<float>(x));
    }
  }
  return drawn;
}

// Points that are no numbers, and indices of no point, are left out.
std::shared_ptr<const DrawnMesh> drawn_lines(const wbt::Node& geometry) {
  const std::vector<Vec3>& points = points_of(geometry, "coord", "point");
  std::shared_ptr<DrawnMesh> drawn = drawn_vertices(points);
  std::optional<std::uint32_t> before;
  for (const std::int32_t index :
       std::get<std::vector<std::int32_t>>(geometry.value("coordIndex"))) {
    const bool is_point = index >= 0 && static_cast<std::size_t>(index) < points.size() &&
                          is_in_range(points[static_cast<std::size_t>(index)]);
    const auto now = static_cast<std::uint32_t>(index);
    if (is_point && before) {
      drawn->lines.insert(drawn->lines.end(), {*before, now});
    }
    before = is_point ? std::optional(now) : std::nullopt;
  }
  return drawn;
}

std::shared_ptr<const DrawnMesh> drawn_points(const wbt::Node& geometry) {
  const std::vector<Vec3>& points = points_of(geometry, "coord", "point");
  const std::vector<Vec3>& colors = points_of(geometry, "color", "color");
  std::shared_ptr<DrawnMesh> drawn = drawn_vertices(points);
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (is_in_range(points[i])) {
      drawn->dots.push_back(i);
    }
  }
  for (std::size_t i = 0; colors.size() >= points.size() && i < points.size(); ++i) {
    for (const double part : {colors[i].x, colors[i].y, colors[i].z}) {
      drawn->colors.push_back(std::isfinite(part) ? static_cast<float>(std::clamp(part, 0.0, 1.0))
                                                  : 0.0f);
    }
  }
  return drawn;
}

// Adds what only sensors need: a place in a picture for each vertex.
std::shared_ptr<const DrawnMesh> with_places(std::shared_ptr<const DrawnMesh> mesh) {
  if (mesh == nullptr || !mesh->uvs.empty()) {
    return mesh;
  }
  auto placed = std::make_shared<DrawnMesh>(*mesh);
  placed->is_spread = true;
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i + 2 < mesh->positions.size(); i += 3) {
    vertices.push_back({mesh->positions[i], mesh->positions[i + 1], mesh->positions[i + 2]});
  }
  for (const auto& [u, v] : spread_over_box(vertices)) {
    placed->uvs.push_back(static_cast<float>(u));
    placed->uvs.push_back(static_cast<float>(1.0 - v));
  }
  return placed;
}

// Returns the surface of a grid with Webots' normals: the sum of those of the triangles that a
// point forms with its neighbours along the axes.
std::shared_ptr<const DrawnMesh> smooth_grid(const Grid& grid) {
  std::shared_ptr<DrawnMesh> drawn = drawn_grid(grid);
  const auto at = [&grid](int i, int j) {
    return Vec3{i * grid.dx, j * grid.dy,
                grid.heights[static_cast<std::size_t>(j) * grid.columns + i]};
  };
  for (int j = 0; j < grid.rows; ++j) {
    for (int i = 0; i < grid.columns; ++i) {
      Vec3 sum;
      for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
        if (i + x >= 0 && i + x < grid.columns && j + y >= 0 && j + y < grid.rows) {
          sum = sum + static_cast<double>(x * y) *
                          cross(at(i + x, j) - at(i, j), at(i, j + y) - at(i, j));
        }
      }
      const Vec3 normal = unit_or(sum, {0.0, 0.0, 1.0});
      for (const double part : {normal.x, normal.y, normal.z}) {
        drawn->normals.push_back(static_cast<float>(part));
      }
    }
  }
  return drawn;
}

class Draughtsman {
 public:
  Draughtsman(const wbt::WorldFile& file, Diagnostics& diagnostics, DrawingStore& store,
              DrawingUse use)
      : use_(use),
        file_(file),
        diagnostics_(diagnostics),
        store_(store),
        files_(std::filesystem::path(file.path).parent_path().string(), diagnostics, store.looks,
               file.library, MeshUse::Look),
        findings_(diagnostics),
        finishes_(files_, findings_) {}

  bool is_page() const { return use_ == DrawingUse::Page; }

  Drawing draw(const Scene& scene, const SceneBuilder& builder) {
    for (const auto& [node, here] : builder.shape_nodes()) {
      if (!is_page() && here.on_billboard) {
        continue;
      }
      const std::size_t first = drawing_.shapes.size();
      finish_ = use_ == DrawingUse::Cameras && node->type->name == "Shape" ? finishes_.read(*node)
                                                                           : nullptr;
      if (node->type->name == "Shape") {
        add_shape(*node, here);
      } else {
        add_parts(*node, here, {});
      }
      const std::optional<DrawnWheel> wheel = wheel_of(here, scene);
      for (std::size_t i = first; i < drawing_.shapes.size(); ++i) {
        drawing_.shapes[i].node = node->id;
        drawing_.shapes[i].wheel = wheel;
        if (finish_ != nullptr) {
          drawing_.shapes[i].finish = finish_;
        }
        drawing_.shapes[i].devices.display = here.display;
        drawing_.shapes[i].key = {node->id, here.place};
        drawing_.shapes[i].ink = ink_form_on(*node, drawing_.shapes[i]);
        if (here.led >= 0) {
          drawing_.shapes[i].devices.led = scene.robots[here.robot].devices[here.led].led->number;
        }
      }
    }
    if (!is_page()) {
      add_spots(scene);
    }
    for (int s = 0; is_page() && s < static_cast<int>(scene.solids.size()); ++s) {
      for (const Shape& shape : scene.solids[s].shapes) {
        add(shape, s, {}).bounding = true;
      }
    }
    for (const wbt::NodePtr& node : file_.nodes) {
      if (node->type->name == "Background" && !node->vec3s("skyColor").empty()) {
        const Vec3& sky = node->vec3s("skyColor").front();
        drawing_.background = is_finite(sky) ? std::optional(sky) : std::nullopt;
      }
      list_undrawn(*node);
    }
    if (use_ == DrawingUse::Cameras) {
      drawing_.sky = finishes_.read_sky(file_, scene.world.up.y > 0.5);
      drawing_.fog = FinishReader::read_fog(file_);
    }
    for (const Diagnostic& diagnostic : diagnostics_.list()) {
      if (diagnostic.missing) {
        miss(diagnostic.missing->subject + ": " + diagnostic.missing->remedy);
      }
    }
    store_.looks = files_.known();
    // A degenerate shape has no contacts and is not visible.
    std::erase_if(drawing_.shapes, [](const DrawnShape& shape) { return !is_seen(shape); });
    return std::move(drawing_);
  }

 private:
  static bool is_seen(const DrawnShape& shape) {
    const auto good = [](double x) { return std::isfinite(x) && x > 0.0; };
    switch (shape.form) {
      case Form::Box:
        return good(shape.size.x) && good(shape.size.y) && good(shape.size.z);
      case Form::Plane:
        return good(shape.size.x) && good(shape.size.y);
      case Form::Sphere:
        return good(shape.radius);
      case Form::Mesh:
        return shape.mesh != nullptr;
      default:
        return good(shape.radius) && good(shape.height);
    }
  }

  static InkForm ink_form_on(const wbt::Node& node, const DrawnShape& drawn) {
    if (drawn.mesh != nullptr && drawn.mesh->is_spread) {
      return InkForm::Spread;
    }
    return node.type->name == "Shape" ? ink_form_of(node.node("geometry")->type->name)
                                      : InkForm::Whole;
  }

  // A form that is wrong in the world file. On a page it is missing. Webots' sensors do not see it
  // either, so that a run lacks nothing.
  void report_bad_form(const wbt::Node& geometry) {
    const std::string fault =
        fmt::format("{}: it has no triangle that can be drawn", geometry.type->name);
    if (is_page()) {
      miss(fault);
    } else {
      report_fault(geometry.where, fault + "; sensors do not see it");
    }
  }

  void report_fault(const SourceLocation& where, const std::string& fault) {
    Diagnostics place;
    place.sources() = diagnostics_.sources();
    place.warning(where, fault);
    drawing_.faults.push_back(fmt::format("{}: {}", place_of(place.list().front()), fault));
  }

  void miss(std::string what) {
    if (missed_.insert(what).second) {
      drawing_.missing.push_back(std::move(what));
    }
  }

  // The rim moves with the belt: the belt touches an inner wheel from outside and another wheel
  // from inside.
  static std::optional<DrawnWheel> wheel_of(const NodeContext& here, const Scene& scene) {
    if (here.wheel == nullptr) {
      return std::nullopt;
    }
    const double radius = here.wheel->number("radius");
    const auto belt = std::find_if(
        scene.joints.begin(), scene.joints.end(),
        [&here](const JointSpec& joint) { return joint.belt && joint.parent == here.solid; });
    if (belt == scene.joints.end() || !(radius > 0.0 && std::isfinite(radius))) {
      return std::nullopt;
    }
    return DrawnWheel{static_cast<int>(belt - scene.joints.begin()),
                      here.wheel->boolean("inner") ? *belt->belt : -*belt->belt,
                      here.wheel_pose.translation, radius};
  }

  DrawnShape& add_form(Form form, int solid, const Pose& pose, const Look& look) {
    DrawnShape& shape = drawing_.shapes.emplace_back();
    shape.form = form;
    shape.solid = solid;
    shape.pose = pose;
    look.give(shape);
    return shape;
  }

  // Adds a shape of a boundingObject, or one that looks the same.
  DrawnShape& add(const Shape& shape, int solid, const Look& look) {
    static constexpr std::pair<ShapeType, Form> kForms[]{
        {ShapeType::Box, Form::Box},           {ShapeType::Sphere, Form::Sphere},
        {ShapeType::Cylinder, Form::Cylinder}, {ShapeType::Capsule, Form::Capsule},
        {ShapeType::Plane, Form::Plane},       {ShapeType::Mesh, Form::Mesh},
        {ShapeType::Grid, Form::Mesh}};
    const auto* const form =
        std::find_if(std::begin(kForms), std::end(kForms),
                     [&shape](const auto& each) { return each.first == shape.type; });
    DrawnShape& drawn = add_form(form->second, solid, shape.pose, look);
    constexpr double kEndless = 10.0;  // the drawn size of a Plane, which has no end [m]
    drawn.size = shape.type == ShapeType::Plane ? Vec3{kEndless, kEndless, 0.0} : shape.size;
    drawn.radius = shape.radius;
    drawn.height = shape.height;
    if (shape.mesh != nullptr) {
      set_mesh(drawn, "Mesh", once(shape.mesh, [&] { return drawn_mesh(*shape.mesh); }));
    } else if (shape.grid != nullptr) {
      set_mesh(drawn, "ElevationGrid",
               is_page() ? drawn_grid(*shape.grid) : smooth_grid(*shape.grid));
    }
    return drawn;
  }

  // Makes the mesh of a source at its first use. The source is kept, so that no other source gets
  // its address.
  template <typename Source, typename Make>
  std::shared_ptr<const DrawnMesh> once(const Source& source, const Make& make) {
    std::shared_ptr<const DrawnMesh>& known = made_[&*source];
    if (known == nullptr) {
      known = make();
    }
    return known;
  }

  // Adds a disc of ten sides for each laser, which is where the laser shines.
  void add_spots(const Scene& scene) {
    for (const RobotSpec& robot : scene.robots) {
      for (const DeviceSpec& device : robot.devices) {
        if (!device.body_sensor || device.body_sensor->laser < 0) {
          continue;
        }
        DrawnShape& spot = add_form(Form::Mesh, -1, {}, {});
        const double radius = device.body_sensor->spot_radius;
        spot.devices.laser = device.body_sensor->laser;
        spot.scale = {radius, radius, 1.0};
        spot.mesh = red_spot();
        spot.finish = red_light();
      }
    }
  }

  static std::shared_ptr<const DrawnMesh> red_spot() {
    constexpr std::uint32_t kSides = 10;
    auto disc = std::make_shared<DrawnMesh>();
    disc->positions = {0.0f, 0.0f, 0.0f};
    for (std::uint32_t i = 0; i < kSides; ++i) {
      const double turn = 2.0 * std::numbers::pi * i / kSides;
      disc->positions.insert(disc->positions.end(), {static_cast<float>(std::cos(turn)),
                                                     static_cast<float>(std::sin(turn)), 0.0f});
      disc->indices.insert(disc->indices.end(), {0, 1 + i, 1 + (i + 1) % kSides});
    }
    return disc;
  }

  static std::shared_ptr<const Finish> red_light() {
    auto finish = std::make_shared<Finish>();
    finish->law = ShadingLaw::Phong;
    finish->casts_shadows = false;
    finish->color = {1.0, 0.0, 0.0};
    finish->emission = {1.0, 0.0, 0.0};
    return finish;
  }

  // Counts the triangles. The shape gets no mesh if there are too many.
  void set_mesh(DrawnShape& shape, const std::string& name, std::shared_ptr<const DrawnMesh> mesh) {
    if (mesh == nullptr) {
      return;
    }
    const std::size_t triangles = mesh->indices.size() / 3;
    const bool is_page = this->is_page();
    const std::size_t most = is_page ? kMaxDrawnInAll : kMaxSeenInAll;
    if (is_page && triangles > kMaxDrawnTriangles) {
      miss(
          fmt::format("{}: {} triangles are more than the {} that are drawn of a mesh; use a "
                      "coarser one",
                      name, triangles, kMaxDrawnTriangles));
      return;
    }
    if (counted_.insert(mesh.get()).second) {
      if (triangles_ + triangles > most) {
        counted_.erase(mesh.get());
        miss(
            fmt::format("{}: the meshes of the world have more than the {} triangles that are {}; "
                        "use coarser ones",
                        name, most, is_page ? "drawn" : "seen"));
        return;
      }
      triangles_ += triangles;
    }
    shape.mesh = std::move(mesh);
  }

  void add_shape(const wbt::Node& node, const NodeContext& here) {
    const wbt::NodePtr& geometry = node.node("geometry");
    if (!geometry) {
      return;
    }
    const Look look = look_of(node.node("appearance"));
    const std::string_view type = geometry->type->name;
    const Placement& at = here.at;
    if (type == "Mesh") {
      add_parts(*geometry, here, look);
    } else if (type == "IndexedFaceSet") {
      DrawnShape& shape = add_form(Form::Mesh, here.solid, at.pose, look);
      shape.scale = at.scale;
      const std::shared_ptr<const DrawnMesh> mesh = once(geometry, [&] {
        return is_page() ? drawn_face_set(*geometry) : with_places(drawn_face_set(*geometry));
      });
      set_mesh(shape, "IndexedFaceSet", mesh);
      if (mesh == nullptr) {
        report_bad_form(*geometry);
      }
    } else if (type == "Plane") {
      const auto& size = std::get<wbt::Vec2>(geometry->value("size"));
      const Vec3 scale = scaled_axes(*geometry, at.scale);
      add_form(Form::Plane, here.solid, turned(*geometry, at.pose), look).size = {
          size.x * scale.x, size.y * scale.y, 0.0};
    } else if (type == "Cone") {
      DrawnShape& cone = add_form(Form::Cone, here.solid, turned(*geometry, at.pose), look);
      if (!is_page()) {
        cone.scale = scaled_axes(*geometry, at.scale);
      }
      const auto [along, across] = axis_scale(*geometry, left_of(at.scale));
      cone.radius = geometry->number("bottomRadius") * across;
      cone.height = geometry->number("height") * along;
      set_parts(*geometry, cone);
    } else if (type == "Box" || type == "Sphere" || type == "Cylinder" || type == "Capsule" ||
               type == "ElevationGrid") {
      Diagnostics ignored;  // its messages are about bounding objects
      Findings findings(ignored);
      const bool is_grid = type == "ElevationGrid";
      const Vec3 scale = is_grid ? at.scale : left_of(at.scale);
      std::vector<Shape> shapes = read_shapes(*geometry, scale, files_, findings);
      if (is_grid && shapes.empty() && !is_page()) {
        report_bad_form(*geometry);
      }
      for (Shape& shape : shapes) {
        shape.pose = at.pose * shape.pose;
        DrawnShape& drawn = add(shape, here.solid, look);
        if (!is_page() && !is_grid) {
          drawn.scale = scaled_axes(*geometry, at.scale);
        }
        if (!is_page() && type == "Box") {  // its picture has an upper side
          drawn.size = scaled_axes(*geometry, drawn.size);
          drawn.pose = turned(*geometry, drawn.pose);
        }
        set_parts(*geometry, drawn);
      }
    } else if (is_page()) {
      miss(fmt::format("{}: is not drawn", type));
    } else if (type == "IndexedLineSet" || type == "PointSet") {
      DrawnShape& shape = add_form(Form::Mesh, here.solid, at.pose, look);
      shape.scale = at.scale;
      shape.mesh = type == "PointSet" ? drawn_points(*geometry) : drawn_lines(*geometry);
    } else if (use_ == DrawingUse::Cameras) {
      miss(std::string(type));
    }
  }

  // What is left of a scale for the sizes of a primitive. Sensors see it as it is scaled, so that a
  // Sphere may become an ellipsoid; in a boundingObject, and on pages, it stays a Sphere.
  Vec3 left_of(const Vec3& scale) const { return !is_page() ? Vec3{1.0, 1.0, 1.0} : scale; }

  // How fine a round form is, and which of its parts are there.
  static void set_parts(const wbt::Node& geometry, DrawnShape& shape) {
    const auto exists = [&geometry](std::string_view field) {
      return geometry.type->field(field) != nullptr;
    };
    const auto flag = [&](std::string_view field) {
      return !exists(field) || geometry.boolean(field);
    };
    shape.subdivision = exists("subdivision") ? geometry.integer("subdivision") : 0;
    shape.icosahedron = shape.form == Form::Sphere && flag("ico");
    shape.top = flag("top");
    shape.side = flag("side");
    shape.bottom = flag("bottom");
    if (shape.form == Form::Sphere) {
      shape.pose = turned(geometry, shape.pose);
    }
  }

  static Pose turned(const wbt::Node& geometry, const Pose& pose) {
    return pose * Pose{axis_turn(geometry), {}};
  }
  // x and y of an upright form are x and −z of old files.
  static Vec3 scaled_axes(const wbt::Node& geometry, const Vec3& scale) {
    return wbt::geometry_axis_is_z(geometry.version) ? scale : Vec3{scale.x, scale.z, scale.y};
  }

  // Adds the parts of a Mesh or CadShape. They have the colours of their file if the world has
  // none.
  void add_parts(const wbt::Node& node, const NodeContext& here, const Look& look) {
    const bool ccw = !node.has("ccw") || node.boolean("ccw");
    const MeshPartList parts = files_.parts(node);
    if (!parts.empty() && std::none_of(parts.begin(), parts.end(), has_area)) {
      return report_bad_form(node);
    }
    for (const MeshPart* part : parts) {
      if (!std::all_of(part->mesh.vertices.begin(), part->mesh.vertices.end(), is_in_range)) {
        miss(fmt::format("mesh '{}': has a point that is not between -1e6 and 1e6 m",
                         node.strings("url")[0]));
        return;
      }
      DrawnShape& shape = add_form(Form::Mesh, here.solid, here.at.pose, look);
      shape.scale = scaled(here.at.scale, mesh_scale(node));
      set_mesh(shape, fmt::format("mesh '{}'", node.strings("url")[0]), drawn_once(*part, ccw));
      if (!look.color && look.picture == nullptr && part->color.size() == 4) {
        shape.color = Vec3{part->color[0], part->color[1], part->color[2]};
        shape.opacity = part->color[3];
      }
      if (!look.color && look.picture == nullptr && !part->picture.empty()) {
        shape.picture = picture_of(files_.name_beside(node, part->picture), part->picture);
      }
      if (node.type->name == "CadShape" && !part->absent_materials.empty()) {
        miss(
            fmt::format("materials '{}' of mesh '{}': no such file .mtl that can be read is in its "
                        "folder or below; what it lacks has the colours of no material",
                        part->absent_materials, node.strings("url")[0]));
      }
      if (use_ == DrawingUse::Cameras && node.type->name == "CadShape") {
        shape.finish = finishes_.read(
            node, *part,
            part->picture.empty() ? std::string() : files_.name_beside(node, part->picture));
      }
    }
  }

  static bool has_area(const MeshPart* part) {
    const std::vector<Vec3>& at = part->mesh.vertices;
    return std::any_of(part->mesh.triangles.begin(), part->mesh.triangles.end(),
                       [&at](const auto& corners) {
                         const Vec3& a = at[corners[0]];
                         return cross(at[corners[1]] - a, at[corners[2]] - a) != Vec3{};
                       });
  }

  std::shared_ptr<const DrawnMesh> drawn_once(const MeshPart& part, bool ccw) {
    std::shared_ptr<const DrawnMesh>& known = parts_[{&part, ccw}];
    if (known == nullptr) {
      known = drawn_part(part, ccw);
      known = is_page() ? known : with_places(known);
    }
    return known;
  }

  Look look_of(const wbt::NodePtr& appearance) {
    Look look;
    if (is_of_type(appearance, "PBRAppearance")) {
      look.color = color_of(*appearance, "baseColor");
      look.opacity = 1.0 - fraction_of(*appearance, "transparency");
      add_picture(*appearance, "baseColorMap", look);
    } else if (is_of_type(appearance, "Appearance")) {
      if (const wbt::NodePtr& material = appearance->node("material");
          is_of_type(material, "Material")) {
        look.color = color_of(*material, "diffuseColor");
        look.opacity = 1.0 - fraction_of(*material, "transparency");
      }
      add_picture(*appearance, "texture", look);
      if (look.picture != nullptr) {
        look.color.reset();  // the picture replaces it
      }
    }
    return look;
  }

  void add_picture(const wbt::Node& appearance, std::string_view field, Look& look) {
    const wbt::NodePtr& texture = appearance.node(field);
    if (!is_of_type(texture, "ImageTexture") || texture->strings("url").empty()) {
      return;
    }
    const std::string& url = texture->strings("url")[0];
    look.picture = picture_of(files_.name_of(*texture, url), url);
    if (const wbt::NodePtr& transform = appearance.node("textureTransform");
        is_of_type(transform, "TextureTransform")) {
      const auto& scale = std::get<wbt::Vec2>(transform->value("scale"));
      if (std::isfinite(scale.x) && std::isfinite(scale.y)) {
        look.repeats = {scale.x, scale.y};
      }
    }
  }

  // `name` is for the library, `url` for messages.
  std::shared_ptr<const Picture> picture_of(const std::string& name, const std::string& url) {
    if (!is_page()) {
      return nullptr;  // Cameras see that of the finish
    }
    if (name.empty()) {
      miss(fmt::format("picture '{}': it is not on this machine", url));
      return nullptr;
    }
    auto known = store_.pictures.find(name);
    if (known == store_.pictures.end()) {
      known = store_.pictures.emplace(name, read_picture(name)).first;
    }
    const std::shared_ptr<const Picture>& picture = known->second.picture;
    if (picture == nullptr) {
      miss(fmt::format("picture '{}': {}", url, known->second.fault));
    }
    if (picture != nullptr && counted_.insert(picture.get()).second) {
      picture_bytes_ += picture->bytes.size();
      if (picture_bytes_ > kMaxPicturesInAll) {
        miss(fmt::format("picture '{}': the pictures of the world have more than {} MB", url,
                         kMaxPicturesInAll >> 20));
        picture_bytes_ -= picture->bytes.size();
        counted_.erase(picture.get());
        return nullptr;
      }
    }
    return picture;
  }

  DrawingStore::OfPicture read_picture(const std::string& name) {
    auto file = files_.library().read(name);
    if (const auto* error = std::get_if<FileError>(&file)) {
      return {nullptr, error->reason};
    }
    auto picture = std::make_shared<Picture>();
    picture->bytes = std::move(std::get<std::string>(file));
    picture->type = picture->bytes.starts_with("\x89PNG")        ? "image/png"
                    : picture->bytes.starts_with("\xff\xd8\xff") ? "image/jpeg"
                                                                 : "";
    if (picture->type.empty()) {
      return {nullptr, "it is no PNG or JPEG file"};
    }
    if (picture->bytes.size() > kMaxPictureSize) {
      return {nullptr, fmt::format("its {} kB are more than {} kB; use a smaller one",
                                   picture->bytes.size() / 1024, kMaxPictureSize / 1024)};
    }
    return {std::move(picture), {}};
  }

  // Lists what is visible in Webots and is no Shape.
  void list_undrawn(const wbt::Node& node) {
    if (node.type->name == "Skin") {
      miss(fmt::format("Skin '{}': is not drawn", node.string("name")));
    } else if (node.type->name == "Track" && node.node("animatedGeometry")) {
      miss(fmt::format("Track '{}': its animatedGeometry is not drawn", node.string("name")));
    } else if (node.type->name == "Camera" && use_ == DrawingUse::Cameras) {
      list_effects(node);
    }
    wbt::for_each_child(node, [this](const wbt::NodePtr& child) { list_undrawn(*child); });
  }

  // Tells of effects that a Camera asks for and that its pictures do not have.
  void list_effects(const wbt::Node& camera) {
    const auto report = [&](std::string_view field, std::string_view effect) {
      report_fault(camera.where_of(field),
                   fmt::format("Camera \"{}\": {} has no effect: {} is not drawn",
                               camera.string("name"), field, effect));
    };
    if (camera.number("ambientOcclusionRadius") > 0.0) {
      report("ambientOcclusionRadius", "ambient occlusion");
    }
    if (camera.number("bloomThreshold") >= 0.0) {
      report("bloomThreshold", "bloom");
    }
    if (is_of_type(camera.node("lensFlare"), "LensFlare")) {
      report("lensFlare", "a lens flare");
    }
  }

  const DrawingUse use_;
  const wbt::WorldFile& file_;
  Diagnostics& diagnostics_;
  DrawingStore& store_;
  MeshFiles files_;
  Findings findings_;
  FinishReader finishes_;
  std::shared_ptr<const Finish> finish_;  // of the Shape that is drawn
  Drawing drawing_;
  std::set<std::string> missed_;
  std::map<const void*, std::shared_ptr<const DrawnMesh>> made_;
  std::map<std::pair<const MeshPart*, bool>, std::shared_ptr<const DrawnMesh>> parts_;
  std::set<const void*> counted_;
  std::size_t triangles_ = 0;
  std::size_t picture_bytes_ = 0;
};

}  // namespace

Drawing draw(const wbt::WorldFile& file, const Scene& scene, const FarSolids& far,
             const MeshStore* meshes, const SourceMap& sources, DrawingStore& store,
             DrawingUse use) {
  // This walk over the tree repeats that of the scene, whose messages were already reported.
  Diagnostics known;
  Diagnostics diagnostics;
  FarSolids left_out = far;
  left_out.search = false;
  SceneBuilder builder(file, known, meshes != nullptr ? *meshes : MeshStore{}, &left_out);
  known.sources() = sources;
  [[maybe_unused]] const Scene again = builder.build();
  SERVOSIM_ASSERT(again.solids.size() == scene.solids.size(), "{} Solids, and then {}",
                  scene.solids.size(), again.solids.size());
  diagnostics.sources() = sources;
  if (use == DrawingUse::Cameras && meshes != nullptr) {  // infra-red sensors see some pictures
    store.looks.images.insert(meshes->images.begin(), meshes->images.end());
  }
  return Draughtsman(file, diagnostics, store, use).draw(scene, builder);
}

}  // namespace servosim
