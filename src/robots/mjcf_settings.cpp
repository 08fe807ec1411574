// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/limits.h"
#include "base/quaternion.h"

namespace servosim::robots {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

void read_compiler(const MjcfElement& node, MjcfSettings& settings) {
  if (const std::string angle = node.text("angle"); angle == "degree" || angle == "radian") {
    settings.radian = angle == "radian" ? 1.0 : kDegree;
  } else if (!angle.empty()) {
    node.fail(fmt::format("angle '{:.60}' should be radian or degree", angle));
  }
  settings.euler_sequence = node.text("eulerseq", settings.euler_sequence.c_str());
  if (settings.euler_sequence.size() != 3 ||
      settings.euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos) {
    node.fail(fmt::format("eulerseq '{:.60}' should be three letters of xyzXYZ",
                          settings.euler_sequence));
    settings.euler_sequence = "xyz";
  }
  if (const std::string how = node.text("inertiafromgeom"); how == "true") {
    settings.inertia_from_geom = InertiaFromGeom::Always;
  } else if (how == "false") {
    settings.inertia_from_geom = InertiaFromGeom::Never;
  } else if (how == "auto") {
    settings.inertia_from_geom = InertiaFromGeom::Auto;
  } else if (!how.empty()) {
    node.fail(fmt::format("inertiafromgeom '{:.60}' should be true, false or auto", how));
  }
  std::array<double, 2> groups{};
  if (node.numbers("inertiagrouprange", groups, 2) == 2) {
    std::ranges::transform(groups, settings.inertia_groups.begin(), [](double group) {
      return static_cast<int>(std::clamp(group, -1e6, 1e6));
    });
  }
  settings.auto_limits = node.flag("autolimits").value_or(settings.auto_limits);
  settings.balance_inertia = node.flag("balanceinertia").value_or(settings.balance_inertia);
  settings.strip_path = node.flag("strippath").value_or(settings.strip_path);
  settings.least_mass = node.number("boundmass", settings.least_mass);
  settings.least_moment = node.number("boundinertia", settings.least_moment);
  settings.total_mass = node.number("settotalmass", settings.total_mass);
  const std::string both = node.text("assetdir");
  const auto folder = [&](const char* name, std::string& where) {
    where = node.has(name) ? node.text(name) : both.empty() ? where : both;
  };
  folder("meshdir", settings.mesh_folder);
  folder("texturedir", settings.texture_folder);
  if (node.text("coordinate") == "global") {
    node.fail("coordinate 'global' is not read, as in MuJoCo since 2.3.4: save the file there");
  }
  if (node.flag("alignfree").value_or(false)) {
    node.lose("alignfree has no effect: the frames of free bodies stay where the file has them",
              false);
  }
}

void read_option(const MjcfElement& node, MjcfSettings& settings) {
  settings.gravity = node.vector("gravity", settings.gravity);
  settings.time_step = node.number("timestep", settings.time_step);
  if (!(settings.time_step > 0.0)) {
    node.fail("timestep of <option> must be above 0");
  }
  for (const char* const medium : {"density", "viscosity"}) {
    if (node.number(medium, 0.0) != 0.0) {
      node.lose(fmt::format("{} of <option> has no effect: nothing moves in a fluid", medium),
                true);
    }
  }
}

// Reads what MuJoCo leaves out, or does in addition.
void read_flags(const MjcfElement& node, MjcfSettings& settings) {
  struct Flag {
    std::string_view name;
    std::string_view usual;
    bool moves;  // what is not usual changes the motion
  };
  constexpr std::array<Flag, 29> kFlags{
      {{"constraint", "enable", true},   {"equality", "enable", true},
       {"frictionloss", "enable", true}, {"limit", "enable", true},
       {"contact", "enable", true},      {"spring", "enable", true},
       {"damper", "enable", true},       {"gravity", "enable", false},
       {"clampctrl", "enable", true},    {"filterparent", "enable", true},
       {"actuation", "enable", true},    {"override", "disable", true},
       {"warmstart", "enable", false},   {"refsafe", "enable", false},
       {"sensor", "enable", false},      {"midphase", "enable", false},
       {"eulerdamp", "enable", false},   {"autoreset", "enable", false},
       {"nativeccd", "enable", false},   {"island", "enable", false},
       {"multiccd", "enable", false},    {"energy", "disable", false},
       {"fwdinv", "disable", false},     {"invdiscrete", "disable", false},
       {"sleep", "disable", false},      {"diagexact", "disable", false},
       {"ipc", "disable", false},        {"speculative", "disable", false},
       {"passive", "enable", true}}};
  for (const pugi::xml_attribute attribute : node.node().attributes()) {
    const std::string_view value = attribute.value();
    const auto flag = std::ranges::find(kFlags, std::string_view(attribute.name()), &Flag::name);
    if (flag == kFlags.end()) {
      node.lose(fmt::format("<flag> has no attribute '{:.60}'", attribute.name()), false);
    } else if (value != "enable" && value != "disable") {
      node.fail(
          fmt::format("{} '{:.60}' of <flag> should be enable or disable", flag->name, value));
    } else if (flag->name == "gravity") {
      settings.has_gravity = value == "enable";
    } else if (flag->moves && value != flag->usual) {
      node.lose(fmt::format("{} '{}' of <flag> has no effect", flag->name, value), true);
    }
  }
}

Mat3 euler_rotation(const std::array<double, 3>& angles, const MjcfSettings& settings) {
  Mat3 rotation;
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = settings.euler_sequence[i];
    const char small = static_cast<char>(letter | 0x20);
    const Vec3 axis{small == 'x' ? 1.0 : 0.0, small == 'y' ? 1.0 : 0.0, small == 'z' ? 1.0 : 0.0};
    const Mat3 turn = rotation_matrix({axis, angles[i] * settings.radian});
    // A small letter turns about the axis that has moved, a capital one about the fixed axis.
    rotation = letter == small ? rotation * turn : turn * rotation;
  }
  return rotation;
}

}  // namespace

Mat3 rotation_to(const Vec3& direction) {
  const Vec3 to = unit_or(direction, {0.0, 0.0, 1.0});
  const Vec3 axis = cross({0.0, 0.0, 1.0}, to);
  const double sine = norm(axis);
  // The half turn is about x.
  return sine > 1e-10 ? rotation_matrix({axis, std::atan2(sine, to.z)})
         : to.z < 0.0 ? diagonal(1.0, -1.0, -1.0)
                      : Mat3{};
}

MjcfSettings read_mjcf_settings(const MjcfDocument& document, MjcfAttributes& attributes,
                                XmlFields& xml) {
  MjcfSettings settings;
  settings.radian = kDegree;
  for (const pugi::xml_node node : document.children(document.root())) {
    const std::string_view name = node.name();
    if (name == "compiler" || name == "option") {
      attributes.check(node);
    }
    if (name == "compiler") {
      read_compiler(MjcfElement(xml, node, nullptr), settings);
    } else if (name == "option") {
      read_option(MjcfElement(xml, node, nullptr), settings);
      for (const pugi::xml_node child : document.children(node)) {
        if (std::string_view(child.name()) == "flag") {
          read_flags(MjcfElement(xml, child, nullptr), settings);
        }
      }
    }
  }
  settings.gravity = settings.has_gravity ? settings.gravity : Vec3{};
  return settings;
}

Mat3 orientation_of(const MjcfElement& element, const MjcfSettings& settings) {
  int given = 0;
  for (const char* const form : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
    given += element.has(form) ? 1 : 0;
  }
  if (given > 1) {
    element.fail(
        fmt::format("<{}> has several orientations: leave one of quat, axisangle, euler, "
                    "xyaxes and zaxis",
                    element.node().name()));
    return {};
  }
  const auto null = [&](const char* form) {
    element.fail(fmt::format("{} of <{}> is a null vector", form, element.node().name()));
    return Mat3{};
  };
  std::array<double, 6> v{};
  if (element.numbers("quat", std::span(v).first(4), 4) != 0) {
    const double largest =
        std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2]), std::abs(v[3])});
    return largest > 0.0
               ? quaternion_matrix({v[1] / largest, v[2] / largest, v[3] / largest, v[0] / largest})
               : null("quat");
  }
  if (element.numbers("axisangle", std::span(v).first(4), 4) != 0) {
    const Vec3 axis = unit_or({v[0], v[1], v[2]}, {});
    return axis == Vec3{} ? null("axisangle") : rotation_matrix({axis, v[3] * settings.radian});
  }
  if (element.numbers("euler", std::span(v).first(3), 3) != 0) {
    return euler_rotation({v[0], v[1], v[2]}, settings);
  }
  if (element.numbers("zaxis", std::span(v).first(3), 3) != 0) {
    const Vec3 z = unit_or({v[0], v[1], v[2]}, {});
    return z == Vec3{} ? null("zaxis") : rotation_to(z);
  }
  if (element.numbers("xyaxes", v, 6) != 0) {
    const Vec3 x = unit_or({v[0], v[1], v[2]}, {});
    const Vec3 along = unit_or({v[3], v[4], v[5]}, {});
    const Vec3 y = unit_or(along - dot(x, along) * x, {});
    const Vec3 z = cross(x, y);
    return x == Vec3{} || y == Vec3{} ? null("xyaxes")
                                      : Mat3{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  }
  return {};
}

Pose pose_of(const MjcfElement& element, const MjcfSettings& settings) {
  const Pose pose{orientation_of(element, settings), element.vector("pos", {})};
  if (!(norm(pose.translation) < kMaxFileCoordinate)) {
    element.fail(fmt::format("pos of <{}> must be within 1e6 m", element.node().name()));
    return {};
  }
  return pose;
}

std::optional<Range> limiting_range(const MjcfElement& element, const char* range,
                                    const char* limited, const MjcfSettings& settings) {
  std::array<double, 2> given{};
  element.numbers(range, given, 2);
  const std::optional<bool> flag = element.flag(limited);
  const bool is_range = given[0] < given[1];
  if (!flag && !settings.auto_limits && is_range) {
    element.fail(fmt::format("{} is given without {}, and autolimits is false", range, limited));
  }
  if (flag.value_or(false) && !is_range) {
    element.fail(fmt::format("{} of <{}> should have the smaller number first", range,
                             element.node().name()));
  }
  return flag.value_or(settings.auto_limits) && is_range ? std::optional(Range{given[0], given[1]})
                                                         : std::nullopt;
}

}  // namespace servosim::robots
