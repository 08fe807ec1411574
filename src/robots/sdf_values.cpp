// SPDX-License-Identifier: Apache-2.0
#include "robots/sdf_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/limits.h"
#include "base/quaternion.h"
#include "base/roll_pitch_yaw.h"
#include "base/text.h"
#include "robots/link_parts.h"

namespace servosim::robots {
namespace {

/// Elements that have a meaning in the format, and none here.
struct UnusedElement {
  std::string_view parent;
  std::string_view name;
  bool moves;
};
constexpr std::array<UnusedElement, 9> kUnused{{{"sdf", "actor", false},
                                                {"world", "actor", false},
                                                {"world", "joint", true},
                                                {"world", "plugin", false},
                                                {"world", "population", true},
                                                {"world", "road", false},
                                                {"world", "state", true},
                                                {"include", "plugin", false},
                                                {"model", "gripper", true}}};

}  // namespace

void tell_of_unused(XmlFields& xml, pugi::xml_node parent) {
  for (const pugi::xml_node child : parent.children()) {
    const auto element = std::ranges::find_if(kUnused, [&](const UnusedElement& row) {
      return row.parent == parent.name() && row.name == child.name();
    });
    if (element != kUnused.end()) {
      xml.lose(child, fmt::format("<{}> of <{}> has no effect", element->name, element->parent),
               element->moves);
    }
  }
}

// From 1.8 on `::` separates the names of models; older files have it in names of links.
void check_sdf_name(XmlFields& xml, pugi::xml_node node, const std::string& name, double minor) {
  const bool is_reserved =
      name == "world" || (name.size() > 3 && name.starts_with("__") && name.ends_with("__"));
  if (is_reserved || (minor >= 8.0 && name.find("::") != name.npos)) {
    xml.fail(node, fmt::format("<{}> must not be called '{:.100}': {}", node.name(), name,
                               is_reserved ? "the format reserves this name"
                                           : "'::' separates the names of models"));
  }
}

std::string sdf_name(XmlFields& xml, pugi::xml_node node, double minor) {
  std::string name = xml.name_of(node);
  check_sdf_name(xml, node, name, minor);
  return name;
}

std::string sdf_text(pugi::xml_node element) {
  return std::string(trimmed(element.text().get(), " \t\r\n"));
}

double sdf_number(XmlFields& xml, pugi::xml_node parent, const char* name, double otherwise) {
  const pugi::xml_node node = parent.child(name);
  std::array<double, 1> value{};
  if (!node) {
    return otherwise;
  }
  const std::string text = sdf_text(node);
  if (parse_numbers(text, value) != 1 || std::isnan(value[0])) {
    xml.fail(node, fmt::format("<{}> should contain a number", name));
    return otherwise;
  }
  return value[0];
}

Vec3 sdf_vector(XmlFields& xml, pugi::xml_node parent, const char* name, const Vec3& otherwise) {
  const pugi::xml_node node = parent.child(name);
  std::array<double, 3> v{};
  return node && xml.numbers_in(node, v) ? Vec3{v[0], v[1], v[2]} : otherwise;
}

Pose sdf_pose(XmlFields& xml, pugi::xml_node parent) {
  const pugi::xml_node node = parent.child("pose");
  std::array<double, 7> p{};
  const std::string text = sdf_text(node);
  const bool is_quaternion =
      std::string_view(node.attribute("rotation_format").value()) == "quat_xyzw";
  if (text.empty()) {
    return {};
  }
  const std::size_t count = is_quaternion ? 7 : 6;
  if (parse_numbers(text, p) != count ||
      !std::ranges::all_of(p, [](double x) { return std::isfinite(x); }) ||
      !(norm({p[0], p[1], p[2]}) < kMaxFileCoordinate)) {
    xml.fail(node, fmt::format("<pose> should contain {} finite numbers, within 1e6 m", count));
    return {};
  }
  Pose pose{{}, {p[0], p[1], p[2]}};
  if (is_quaternion) {
    pose.rotation = quaternion_matrix({p[3], p[4], p[5], p[6]});
  } else {
    const double unit = is_true(node.attribute("degrees").value()) ? std::numbers::pi / 180.0 : 1.0;
    pose.rotation = rotation_of_rpy({unit * p[3], unit * p[4], unit * p[5]});
  }
  return pose;
}

bool read_sdf_geometry(XmlFields& xml, RobotFiles& files, pugi::xml_node parent, bool touches,
                       Geometry& geometry) {
  pugi::xml_node node = parent.child("geometry").first_child();
  while (node && node.type() != pugi::node_element) {
    node = node.next_sibling();
  }
  const std::string_view name = node.name();
  if (name == "empty") {
    return false;
  }
  if (name == "plane" && sdf_vector(xml, node, "normal", {0.0, 0.0, 1.0}) == Vec3{0.0, 0.0, 1.0}) {
    geometry.type = GeometryType::Plane;
    return touches;  // it is seen as the floor of the world is
  }
  if (name == "mesh") {
    geometry.scale = sdf_vector(xml, node, "scale", {1.0, 1.0, 1.0});
    if (node.child("submesh")) {
      xml.lose(node.child("submesh"), "a part of a mesh is not chosen: all of the file is used",
               touches);
    }
    return find_mesh(xml, files, node, sdf_text(node, "uri"), touches, geometry);
  }
  bool good = true;
  if (name == "box") {
    const Vec3& size = geometry.size = sdf_vector(xml, node, "size", {1.0, 1.0, 1.0});
    good = is_file_length(size.x) && is_file_length(size.y) && is_file_length(size.z);
  } else if (name == "sphere" || name == "cylinder" || name == "capsule") {
    const bool is_sphere = name == "sphere";
    geometry.type = is_sphere            ? GeometryType::Sphere
                    : name == "cylinder" ? GeometryType::Cylinder
                                         : GeometryType::Capsule;
    geometry.radius = sdf_number(xml, node, "radius", is_sphere ? 1.0 : 0.5);
    geometry.length = is_sphere ? 0.0 : sdf_number(xml, node, "length", 1.0);
    good = is_file_length(geometry.radius) && (is_sphere || is_file_length(geometry.length));
  } else {
    xml.lose(node ? node : parent,
             name.empty() ? fmt::format("<{}> has no geometry", parent.name())
                          : fmt::format("<{:.60}> is no geometry that can be read", name),
             touches);
    return false;
  }
  if (!good) {
    xml.lose(node, fmt::format("a size of <{}> is not between 0 and 1e6 m", name), touches);
  }
  return good;
}

void read_sdf_friction(XmlFields& xml, pugi::xml_node collision, RobotLink& link) {
  const pugi::xml_node surface = collision.child("surface");
  const pugi::xml_node ode = surface.child("friction").child("ode");
  if (const pugi::xml_node mu = ode.child("mu")) {
    constexpr double kMostFriction = 1e6;  // files have 1e15 for one without end
    const double friction = std::clamp(sdf_number(xml, ode, "mu", 1.0), 0.0, kMostFriction);
    const double second = std::clamp(sdf_number(xml, ode, "mu2", friction), 0.0, kMostFriction);
    if (second != friction) {
      xml.lose(ode, fmt::format("mu2 {} of link '{}' has no effect", second, link.name), true);
    }
    if (link.contact_friction && *link.contact_friction != friction) {
      xml.lose(mu,
               fmt::format("the friction {} is that of others of link '{}', {}", friction,
                           link.name, *link.contact_friction),
               true);
    } else {
      link.contact_friction = friction;
    }
  }
  for (const char* const name : {"slip1", "slip2"}) {
    if (sdf_number(xml, ode, name, 0.0) != 0.0) {
      xml.lose(ode.child(name), fmt::format("{} of link '{}' has no effect", name, link.name),
               true);
    }
  }
  if (sdf_vector(xml, ode, "fdir1", {}) != Vec3{}) {
    xml.lose(ode.child("fdir1"), fmt::format("fdir1 of link '{}' has no effect", link.name), true);
  }
  for (const char* const name : {"bounce", "contact"}) {
    if (surface.child(name).first_child()) {
      xml.lose(surface.child(name),
               fmt::format("<{}> of <surface> of link '{}' has no effect", name, link.name), true);
    }
  }
}

Material sdf_material(XmlFields& xml, pugi::xml_node visual) {
  Material material;
  const pugi::xml_node node = visual.child("material");
  std::array<double, 4> rgba{0.7, 0.7, 0.7, 1.0};
  if (const pugi::xml_node diffuse = node.child("diffuse")) {
    std::array<double, 4> given{};
    const auto count = parse_numbers(diffuse.text().get(), given);
    const auto is_within = [](double x) { return x >= 0.0 && x <= 1.0; };
    const auto is_finite = [](double x) { return std::isfinite(x); };
    if ((count == 3 || count == 4) && std::ranges::all_of(given, is_finite)) {
      rgba = {given[0], given[1], given[2], count == 4 ? given[3] : 1.0};
      if (!std::ranges::all_of(rgba, is_within)) {
        xml.lose(diffuse, "the numbers of <diffuse> are brought into 0 to 1", false);
      }
    } else {
      xml.lose(diffuse, "<diffuse> should contain three or four finite numbers", false);
    }
  } else if (node.child("script")) {
    xml.lose(node.child("script"), "a script of a material is not read", false);
  }
  rgba[3] *= 1.0 - std::clamp(sdf_number(xml, visual, "transparency", 0.0), 0.0, 1.0);
  set_color(material, rgba);
  return material;
}

}  // namespace servosim::robots
