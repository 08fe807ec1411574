// SPDX-License-Identifier: Apache-2.0
#include "wbt/stand_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace servosim::wbt {
namespace {

constexpr const char* kFloorFields = R"(
  field SFVec2f size 10 10
  field SFVec2f tileSize 0.5 0.5
  field SFNode appearance NULL
)";

constexpr const char* kFloorOfArenaFields = R"(
  field SFVec2f floorTileSize 0.5 0.5
  field SFNode floorAppearance NULL
  field SFFloat wallThickness 0.01
  field SFFloat wallHeight 0.1
  field SFVec2f wallTileSize 0.5 0.5
  field SFNode wallAppearance NULL
)";

constexpr const char* kRectangleFields = R"(
  field SFVec2f floorSize 1 1
)";

constexpr const char* kCircleFields = R"(
  field SFFloat radius 1
  field SFInt32 subdivision 48
)";

/// Writes the shapes of one arena in the axes of its file: the third coordinate points up.
class ArenaWriter {
 public:
  explicit ArenaWriter(const Environment& environment)
      : z_up_(geometry_axis_is_z(environment.proto.source.version)),
        pose_(environment.proto.source.version < Version{2023, 1, 0} ? "Transform" : "Pose") {}

  void floor(const Vec2& size) {
    shapes_ += fmt::format("Plane {{ size {} {} }}\n", size.x, size.y);
  }

  /// A wall that stands on the floor: its centre, and its size before it is turned by `angle`
  /// [rad] about the vertical.
  void wall(const Vec2& centre, const Vec3& size, double angle) {
    if (size.x > 0.0 && size.y > 0.0 && size.z > 0.0) {
      shapes_ +=
          fmt::format("{} {{ translation {} rotation {} {} children [ Box {{ size {} }} ] }}\n",
                      pose_, vector({centre.x, centre.y, 0.5 * size.z}), z_up_ ? "0 0 1" : "0 1 0",
                      z_up_ ? angle : -angle, vector(size));
    }
  }

  std::string solid() const {
    return fmt::format(R"(Solid {{
translation IS translation
rotation IS rotation
name IS name
contactMaterial IS contactMaterial
boundingObject Group {{ children [
{}] }}
}}
)",
                       shapes_);
  }

 private:
  std::string vector(const Vec3& v) const {
    return z_up_ ? fmt::format("{} {} {}", v.x, v.y, v.z) : fmt::format("{} {} {}", v.x, v.z, v.y);
  }

  bool z_up_;
  std::string_view pose_;
  std::string shapes_;
};

double number(const Environment& environment, std::string_view name) {
  return std::get<double>(environment.value(name));
}

std::string write_floor(const Environment& environment) {
  ArenaWriter arena(environment);
  arena.floor(std::get<Vec2>(environment.value("size")));
  return arena.solid();
}

// The walls stand outside the edge of the floor.
std::string write_rectangle(const Environment& environment) {
  const auto size = std::get<Vec2>(environment.value("floorSize"));
  const double thickness = number(environment, "wallThickness");
  const double height = number(environment, "wallHeight");
  const double x = 0.5 * (size.x + thickness);
  const double y = 0.5 * (size.y + thickness);
  ArenaWriter arena(environment);
  arena.floor(size);
  arena.wall({x, 0.0}, {thickness, size.y, height}, 0.0);
  arena.wall({-x, 0.0}, {thickness, size.y, height}, 0.0);
  arena.wall({0.0, y}, {size.x + 2.0 * thickness, thickness, height}, 0.0);
  arena.wall({0.0, -y}, {size.x + 2.0 * thickness, thickness, height}, 0.0);
  return arena.solid();
}

// A ring of boxes that touch the circle from outside.
std::string write_circle(const Environment& environment) {
  const double radius = number(environment, "radius");
  const double thickness = number(environment, "wallThickness");
  const double height = number(environment, "wallHeight");
  const int count = std::clamp(std::get<std::int32_t>(environment.value("subdivision")), 3, 1000);
  const double length = 2.0 * (radius + thickness) * std::tan(std::numbers::pi / count);
  const double distance = radius + 0.5 * thickness;
  ArenaWriter arena(environment);
  arena.floor({2.0 * radius, 2.0 * radius});
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    arena.wall({distance * std::cos(angle), distance * std::sin(angle)},
               {thickness, length, height}, angle);
  }
  return arena.solid();
}

struct StandIn {
  std::string_view name;
  std::string_view solid_name;
  std::array<const char*, 2> fields;
  BodyWriter write;
};

constexpr std::array<StandIn, 4> kStandIns{{
    {"Floor", "floor", {kFloorFields, ""}, write_floor},
    {"RectangleArena", "rectangle arena", {kRectangleFields, kFloorOfArenaFields}, write_rectangle},
    {"SquareArena", "square arena", {kRectangleFields, kFloorOfArenaFields}, write_rectangle},
    {"CircleArena", "circle arena", {kCircleFields, kFloorOfArenaFields}, write_circle},
}};

const StandIn* find_stand_in(std::string_view name) {
  const auto found = std::find_if(kStandIns.begin(), kStandIns.end(),
                                  [&](const StandIn& s) { return s.name == name; });
  return found == kStandIns.end() ? nullptr : &*found;
}

}  // namespace

std::string stand_in_interface(std::string_view name, const Version& version) {
  const StandIn* stand_in = find_stand_in(name);
  if (stand_in == nullptr) {
    return {};
  }
  return fmt::format(R"(PROTO {} [
  field SFVec3f translation 0 0 0
  field SFRotation rotation {} 0
  field SFString name "{}"
  field SFString contactMaterial "default"{}{}] {{)",
                     name, geometry_axis_is_z(version) ? "0 0 1" : "0 1 0", stand_in->solid_name,
                     stand_in->fields[0], stand_in->fields[1]);
}

BodyWriter stand_in_writer(std::string_view name) {
  const StandIn* stand_in = find_stand_in(name);
  return stand_in == nullptr ? nullptr : stand_in->write;
}

}  // namespace servosim::wbt
