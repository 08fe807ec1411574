// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_geom.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "base/limits.h"

namespace servosim::robots {
namespace {

constexpr double kGeomDensity = 1000.0;   // [kg/m³], of geoms without a density
constexpr double kLeastGeomMass = 1e-14;  // [kg]: MuJoCo does not count less
constexpr double kPlaneHalf = 50.0;       // [m], of a plane without end
constexpr double kPlaneThickness = 0.1;   // [m]
constexpr int kLastShownGroup = 2;        // MuJoCo's viewer shows the groups 0 to 2

}  // namespace

struct MjcfGeoms::Shape {
  GeomType type = GeomType::Sphere;
  Vec3 size;  // as in mass_of_geom()
  Pose pose;  // of the geom in the link's frame
  MjcfMesh* mesh = nullptr;
};

std::optional<MassProperties> MjcfGeoms::read(const MjcfElement& element, std::size_t link,
                                              const Pose& frame, bool weighs) {
  context_.attributes.check(element.node());
  if (const std::string name = element.text("name");
      !name.empty() && !parts_.geoms.insert(name).second) {
    element.fail(fmt::format("a second geom is called '{:.60}'", name));
  }
  Shape shape;
  shape.pose = pose_of(element, context_.settings);
  if (!read_shape(element, shape)) {
    return std::nullopt;
  }
  shape.pose = frame * shape.pose;
  add_shape(element, parts_.model.links[link], shape, link);
  const int group = element.integer("group", 0);
  const auto [first, last] = context_.settings.inertia_groups;
  return weighs && group >= first && group <= last ? mass_of(element, shape) : std::nullopt;
}

// Returns whether there is a shape. Its pose becomes that of a geom with `fromto`.
bool MjcfGeoms::read_shape(const MjcfElement& element, Shape& shape) {
  constexpr std::array<std::pair<std::string_view, GeomType>, 7> kTypes{
      {{"plane", GeomType::Plane},
       {"sphere", GeomType::Sphere},
       {"capsule", GeomType::Capsule},
       {"ellipsoid", GeomType::Ellipsoid},
       {"cylinder", GeomType::Cylinder},
       {"box", GeomType::Box},
       {"mesh", GeomType::Mesh}}};
  const std::string given = element.text("type", "sphere");
  const auto type =
      std::ranges::find(kTypes, std::string_view(given), &decltype(kTypes)::value_type::first);
  if (type == kTypes.end()) {
    const bool known = given == "hfield" || given == "sdf";
    known ? element.lose(fmt::format("a geom of the type {} is left out", given), true)
          : element.fail(fmt::format("there is no type '{:.60}' of geoms", given));
    return false;
  }
  shape.type = type->second;
  if (shape.type == GeomType::Mesh) {
    return read_mesh(element, shape);
  }
  if (element.has("mesh")) {
    element.lose(fmt::format("a {} that is fitted to a mesh is left out: write its size", given),
                 true);
    return false;
  }
  return read_sizes(element, shape);
}

bool MjcfGeoms::read_sizes(const MjcfElement& element, Shape& shape) {
  std::array<double, 3> size{};
  element.numbers("size", size, 1);
  shape.size = {size[0], size[1], size[2]};
  const bool has_line =
      shape.type != GeomType::Sphere && shape.type != GeomType::Plane && element.has("fromto");
  if (has_line) {
    read_line(element, shape);
  }
  if (shape.type == GeomType::Plane) {
    shape.size.x = shape.size.x > 0.0 ? shape.size.x : kPlaneHalf;
    shape.size.y = shape.size.y > 0.0 ? shape.size.y : kPlaneHalf;
    return true;
  }
  const bool has_two = shape.type != GeomType::Sphere;
  const bool has_three = shape.type == GeomType::Box || shape.type == GeomType::Ellipsoid;
  if (!is_file_length(shape.size.x) || (has_two && !is_file_length(shape.size.y)) ||
      (has_three && !is_file_length(shape.size.z))) {
    element.fail(fmt::format("<geom> of the type {} should have {} between 0 and 1e6 m",
                             element.text("type", "sphere"),
                             has_three ? "three sizes"
                             : has_two ? "two sizes"
                                       : "a size"));
    return false;
  }
  return true;
}

// z points from the second point to the first.
void MjcfGeoms::read_line(const MjcfElement& element, Shape& shape) {
  std::array<double, 6> ends{};
  if (element.numbers("fromto", ends, 6) == 0) {
    return;
  }
  const Vec3 from{ends[0], ends[1], ends[2]};
  const Vec3 to{ends[3], ends[4], ends[5]};
  const double half = 0.5 * norm(from - to);
  if (!(half > 0.0)) {
    element.fail("fromto of <geom> has two equal points");
    return;
  }
  const bool has_three = shape.type == GeomType::Box || shape.type == GeomType::Ellipsoid;
  shape.size = has_three ? Vec3{shape.size.x, shape.size.x, half} : Vec3{shape.size.x, half, 0.0};
  shape.pose = {rotation_to(from - to), 0.5 * (from + to)};
}

bool MjcfGeoms::read_mesh(const MjcfElement& element, Shape& shape) {
  const std::string name = element.text("mesh");
  shape.mesh = assets_.mesh(name);
  if (shape.mesh == nullptr) {
    element.fail(fmt::format("there is no mesh '{:.60}'", name));
  }
  return shape.mesh != nullptr;
}

std::optional<MassProperties> MjcfGeoms::mass_of(const MjcfElement& element, Shape& shape) {
  const double mass = element.number("mass", -1.0);
  const double density = element.number("density", kGeomDensity);
  if ((element.has("mass") && mass < 0.0) || density < 0.0) {
    element.fail("mass and density of <geom> must not be negative");
    return std::nullopt;
  }
  if (mass == 0.0 || (mass < 0.0 && density == 0.0) || shape.type == GeomType::Plane) {
    return std::nullopt;
  }
  MassProperties unit;
  if (shape.mesh != nullptr) {
    const auto& found = assets_.mass_of(*shape.mesh);
    if (const auto* fault = std::get_if<std::string>(&found)) {
      element.lose(fmt::format("the geom adds no mass to its body, as its mesh {}", *fault), true);
      return std::nullopt;
    }
    unit = std::get<MassProperties>(found);
  } else {
    unit = mass_of_geom(shape.type, shape.size, element.flag("shellinertia").value_or(false));
  }
  const double all = mass > 0.0 ? mass : density * unit.mass;
  return all > kLeastGeomMass ? std::optional(placed(with_mass(unit, all), shape.pose))
                              : std::nullopt;
}

Material MjcfGeoms::material_of(const MjcfElement& element) const {
  Material material{{0.5, 0.5, 0.5}, 1.0, {}};
  if (const std::string name = element.text("material"); !name.empty()) {
    if (const Material* known = assets_.material(name)) {
      material = *known;
    } else {
      element.lose(fmt::format("there is no material '{:.60}'", name), false);
    }
  }
  std::array<double, 4> rgba{0.5, 0.5, 0.5, 1.0};
  const auto grey = rgba;
  if (element.numbers("rgba", rgba, 4) != 0 && rgba != grey) {
    set_color(material, rgba);
  }
  return material;
}

// The floor of a file is that of the world which is made of it.
bool MjcfGeoms::is_floor(const Shape& shape, std::size_t link) const {
  return shape.type == GeomType::Plane && link == 0 && shape.pose.rotation(2, 2) > 1.0 - 1e-12 &&
         std::abs(shape.pose.translation.z) < 1e-12;
}

void MjcfGeoms::add_shape(const MjcfElement& element, RobotLink& link, const Shape& shape,
                          std::size_t number) {
  const auto mask = [&](const char* name) {
    return static_cast<std::uint32_t>(element.integer(name, 1));
  };
  const MjcfMask masks{mask("contype"), mask("conaffinity")};
  const bool touches = masks.first != 0 || masks.second != 0;
  if (touches && is_floor(shape, number)) {
    parts_.model.floor_friction = friction_of(element);
    context_.xml.diagnostics().info(element.place(),
                                    "the plane z = 0 is left out, as it is the floor of the world");
    return;
  }
  LinkShape made;
  made.pose = shape.pose;
  made.where = element.place();
  Geometry& geometry = made.geometry;
  geometry.radius = shape.size.x;
  geometry.length = 2.0 * shape.size.y;
  switch (shape.type) {
    case GeomType::Plane:
      geometry.type = GeometryType::Box;
      geometry.size = {2.0 * shape.size.x, 2.0 * shape.size.y, kPlaneThickness};
      made.pose = made.pose * Pose{{}, {0.0, 0.0, -0.5 * kPlaneThickness}};
      break;
    case GeomType::Box:
      geometry.type = GeometryType::Box;
      geometry.size = 2.0 * shape.size;
      break;
    case GeomType::Sphere:
      geometry.type = GeometryType::Sphere;
      break;
    case GeomType::Cylinder:
      geometry.type = GeometryType::Cylinder;
      break;
    case GeomType::Capsule:
      geometry.type = GeometryType::Capsule;
      break;
    case GeomType::Ellipsoid:
      geometry.type = GeometryType::Box;
      geometry.size = 2.0 * shape.size;
      element.lose("an ellipsoid has the shape of the box around it", touches);
      break;
    case GeomType::Mesh:
      geometry.type = GeometryType::Mesh;
      hulls_ += touches && (shape.mesh->faces || !shape.mesh->file.empty()) ? 1 : 0;
      if (shape.mesh->faces) {
        geometry.faces = shape.mesh->faces;
        break;
      }
      geometry.file = shape.mesh->file;
      geometry.scale = shape.mesh->scale;
      if (geometry.file.empty()) {
        const std::string lost = fmt::format("mesh {}; it is left out", shape.mesh->fault);
        touches ? context_.xml.diagnostics().warning(
                      made.where, lost, MissingPart{Missing::Meshes, "a mesh", shape.mesh->fault})
                : context_.xml.diagnostics().missing_looks(made.where, lost);
        return;
      }
      // A corner v is at scale·turn·(v − origin): a turn and a scale exchange if all three
      // scales are equal.
      const Vec3& scale = geometry.scale;
      if (!(shape.mesh->turn == Mat3{}) && (scale.x != scale.y || scale.y != scale.z)) {
        element.lose("a mesh with refquat and with different scales is not turned", touches);
        made.pose = made.pose * Pose{{}, -scaled(shape.mesh->origin, scale)};
      } else {
        made.pose = made.pose *
                    Pose{shape.mesh->turn, -scaled(shape.mesh->turn * shape.mesh->origin, scale)};
      }
      break;
  }
  if (touches) {
    if (number != 0) {
      parts_.masks[masks].insert(number);
    }
    link.collisions.push_back(made);
    set_friction(element, link);
  }
  made.material = material_of(element);
  if (element.integer("group", 0) <= kLastShownGroup && made.material->opacity > 0.0) {
    link.visuals.push_back(std::move(made));
  }
}

// MuJoCo takes the larger condim and the larger friction of two geoms. With condim 1 on both there
// is no friction.
double MjcfGeoms::friction_of(const MjcfElement& element) {
  std::array<double, 3> friction{1.0, 0.005, 0.0001};
  element.numbers("friction", friction, 1);
  const int dimensions = element.integer("condim", 3);
  if (friction[0] < 0.0) {
    element.fail("friction of <geom> must not be negative");
  }
  if (dimensions != 1 && dimensions != 3 && dimensions != 4 && dimensions != 6) {
    element.fail(fmt::format("condim {} of <geom> should be 1, 3, 4 or 6", dimensions));
  }
  if (dimensions == 1) {
    most_of_smooth_ = std::max(most_of_smooth_, friction[0]);
    return 0.0;
  }
  least_of_rough_ = std::min(least_of_rough_, friction[0]);
  rollers_ += dimensions > 3 ? 1 : 0;
  return friction[0];
}

void MjcfGeoms::set_friction(const MjcfElement& element, RobotLink& link) {
  const double friction = friction_of(element);
  if (link.contact_friction.value_or(friction) != friction) {
    element.lose(fmt::format("the friction {} of the geom is that of others of its body, {}",
                             friction, *link.contact_friction),
                 true);
  } else {
    link.contact_friction = friction;
  }
}

void MjcfGeoms::finish(pugi::xml_node top) {
  if (rollers_ > 0) {
    context_.xml.lose(top,
                      fmt::format("the friction of {} {} with condim 4 or 6 against spinning and "
                                  "rolling has no effect",
                                  rollers_, rollers_ == 1 ? "geom" : "geoms"),
                      true);
  }
  if (most_of_smooth_ > least_of_rough_) {
    context_.xml.lose(
        top,
        fmt::format("geoms with condim 1 touch others with the friction of those, and "
                    "not with their own of up to {}",
                    most_of_smooth_),
        true);
  }
  if (hulls_ > 0) {
    context_.xml.diagnostics().info(
        context_.xml.place(top),
        fmt::format("{} {} as {} {}, and in MuJoCo as the convex hull", hulls_,
                    hulls_ == 1 ? "mesh touches" : "meshes touch", hulls_ == 1 ? "it" : "they",
                    hulls_ == 1 ? "is" : "are"));
  }
}

}  // namespace servosim::robots
