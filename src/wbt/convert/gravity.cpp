// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/convert/placing.h"

namespace servosim {
namespace {

// Returns the shortest turn from `from` to -z; both are unit vectors.
AxisAngle turn_down(const Vec3& from) {
  const Vec3 axis = cross(from, {0.0, 0.0, -1.0});
  const double sine = norm(axis);
  if (sine < 1e-12) {  // along z: any perpendicular axis is suitable
    return {{1.0, 0.0, 0.0}, from.z > 0.0 ? std::numbers::pi : 0.0};
  }
  return {(1.0 / sine) * axis, std::atan2(sine, -from.z)};
}

// Turns fields that contain a point or a direction in the world's frame, at any depth.
wbt::NodePtr turned_velocities(wbt::Node node, const AxisAngle& turn) {
  for (const std::string_view field : {"linearVelocity", "angularVelocity"}) {
    if (node.type->is_solid && node.has(field)) {
      set_field(node, field, turn * node.vec3(field));
    }
  }
  return std::make_shared<wbt::Node>(std::move(node));
}

wbt::NodePtr turned_view(const wbt::Node& view, const AxisAngle& turn) {
  auto copy = std::make_shared<wbt::Node>(view);
  set_field(*copy, "position", turn * view.vec3("position"));
  set_turn(*copy, "orientation", turn * view.rotation("orientation"));
  return copy;
}

// A Pose may also contain lights.
wbt::NodePtr turned_node(const wbt::NodePtr& node, const AxisAngle& turn) {
  static constexpr std::array<std::string_view, 4> kPlaceless{"WorldInfo", "Background", "Cubemap",
                                                              "Fog"};
  const std::string_view type = node->type->name;
  if (std::find(kPlaceless.begin(), kPlaceless.end(), type) != kPlaceless.end()) {
    return node;
  }
  return type == "Viewpoint" ? turned_view(*node, turn) : placed({turn, {}}, node);
}

void turn_world(wbt::WorldFile& world, const AxisAngle& turn) {
  world.nodes = Rewriter([&](wbt::Node node) {
                  return turned_velocities(std::move(node), turn);
                }).rewrite(world.nodes);
  for (wbt::NodePtr& node : world.nodes) {
    node = turned_node(node, turn);
  }
}

struct Frame {
  std::string name;
  AxisAngle turn;  // turn of the world so that it fits the frame
};

// Returns the frame in which gravity points down. Without gravity y is up, as in old worlds.
Frame frame_for(const Vec3& gravity, const Vec3& north) {
  if (gravity.x == 0.0 && gravity.y <= 0.0 && gravity.z == 0.0) {
    return {north == Vec3{0.0, 0.0, 1.0} ? "EUN" : "NUE", {}};
  }
  return {"ENU", turn_down(unit_or(gravity, {0.0, 0.0, -1.0}))};
}

// Returns the direction that Webots' conversion assigns to northDirection.
Vec3 north_of(const std::string& frame) {
  return frame == "NUE"   ? Vec3{1.0, 0.0, 0.0}
         : frame == "EUN" ? Vec3{0.0, 0.0, 1.0}
                          : Vec3{0.0, 1.0, 0.0};
}

// The result is exact for a vector along an axis.
double length(const Vec3& v) { return std::hypot(v.x, v.y, v.z); }

Vec3 gravity_vector(const wbt::Value& value) {
  const Vec3* vector = std::get_if<Vec3>(&value);
  return vector != nullptr ? *vector : Vec3{0.0, -std::abs(std::get<double>(value)), 0.0};
}

wbt::NodePtr world_info(const wbt::Version& version) {
  wbt::Node info;
  info.type = wbt::find_node_type("WorldInfo");
  info.version = version;
  return std::make_shared<wbt::Node>(std::move(info));
}

void say_turn(const wbt::Node& info, const Vec3& gravity, const AxisAngle& turn,
              Diagnostics& diagnostics) {
  diagnostics.warning(info.where_of("gravity"),
                      fmt::format("gravity {} {} {} points along no axis that is down in present "
                                  "worlds; the whole world is turned by {} rad about {} {} {}, and "
                                  "what a GPS or a supervisor says of places with it",
                                  gravity.x, gravity.y, gravity.z, turn.angle, turn.axis.x,
                                  turn.axis.y, turn.axis.z));
}

bool measures_north(const std::vector<wbt::NodePtr>& nodes) {
  bool found = false;
  const auto look = [&](const wbt::Node& node) {
    found = found || node.type->name == "Compass" || node.type->name == "InertialUnit";
  };
  const auto keep = [](wbt::Node node) { return std::make_shared<wbt::Node>(std::move(node)); };
  Rewriter(keep, look).rewrite(nodes);
  return found;
}

// `north` is in the present frame of the world.
void settle_north(wbt::Node& info, const Vec3& north, const std::vector<wbt::NodePtr>& nodes,
                  Diagnostics& diagnostics) {
  const std::string frame = info.string("coordinateSystem");
  // The tolerance covers the rounding errors of a turn.
  if (norm(unit_or(north, {}) - north_of(frame)) > 1e-12 && measures_north(nodes)) {
    diagnostics.warning(info.where_of("northDirection"),
                        fmt::format("north was {} {} {}; present worlds have no northDirection: "
                                    "Compass and InertialUnit will measure by coordinateSystem "
                                    "\"{}\"",
                                    north.x, north.y, north.z, frame));
  }
  remove_field(info, "northDirection");
}

// Before R2020b gravity was a vector.
AxisAngle settle_vector(wbt::Node& info, const std::vector<wbt::NodePtr>& nodes,
                        Diagnostics& diagnostics) {
  const wbt::Value given = info.value("gravity");
  const Vec3 gravity = gravity_vector(given);
  const Vec3 north = info.vec3("northDirection");
  const Frame frame = frame_for(gravity, north);
  if (frame.turn.angle != 0.0) {
    say_turn(info, gravity, frame.turn, diagnostics);
  }
  // An invalid number stays unchanged.
  set_field(info, "gravity",
            std::holds_alternative<double>(given) ? std::get<double>(given) : length(gravity));
  set_field(info, "coordinateSystem", frame.name);
  settle_north(info, frame.turn * north, nodes, diagnostics);
  return frame.turn;
}

}  // namespace

void use_modern_gravity(wbt::WorldFile& world, Diagnostics& diagnostics) {
  const auto is_info = [](const wbt::NodePtr& node) { return node->type->name == "WorldInfo"; };
  auto found = std::find_if(world.nodes.begin(), world.nodes.end(), is_info);
  if (found == world.nodes.end()) {
    if (world.version >= wbt::kR2020b) {
      return;
    }
    found = world.nodes.insert(found, world_info(world.version));
    std::rotate(world.nodes.begin(), found, found + 1);
    found = world.nodes.begin();
  }
  auto info = std::make_shared<wbt::Node>(**found);
  *found = info;
  if (info->version < wbt::kR2020b) {
    const AxisAngle turn = settle_vector(*info, world.nodes, diagnostics);
    if (turn.angle != 0.0) {
      turn_world(world, turn);
    }
  } else if (!wbt::geometry_axis_is_z(info->version)) {
    const std::string frame = info->string("coordinateSystem");
    set_field(*info, "coordinateSystem", frame);
    settle_north(*info,
                 info->has("northDirection") ? info->vec3("northDirection") : north_of(frame),
                 world.nodes, diagnostics);
  }
}

}  // namespace servosim
