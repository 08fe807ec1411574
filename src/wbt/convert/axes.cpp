// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numbers>
#include <optional>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/convert/placing.h"
#include "wbt/eras/legacy.h"

namespace servosim {
namespace {

constexpr double kQuarter = std::numbers::pi / 2.0;
constexpr AxisAngle kAboutX{{1.0, 0.0, 0.0}, -kQuarter};  // z of the new frame is y of the old one

AxisAngle about_z(double angle) { return {{0.0, 0.0, 1.0}, angle}; }

// Returns the orientation of a device's new frame in its old one; nothing for a device whose axes
// have not changed.
std::optional<AxisAngle> turn_of(std::string_view type) {
  using Turned = std::pair<std::string_view, double>;
  // The x axis now has the direction that -z had, or that z had.
  static constexpr std::array<Turned, 9> kTurned{{{"Viewpoint", kQuarter},
                                                  {"Camera", kQuarter},
                                                  {"Lidar", kQuarter},
                                                  {"Radar", kQuarter},
                                                  {"RangeFinder", kQuarter},
                                                  {"Emitter", -kQuarter},
                                                  {"Receiver", -kQuarter},
                                                  {"Connector", -kQuarter},
                                                  {"TouchSensor", -kQuarter}}};
  if (type == "Pen" || type == "Track") {
    return kAboutX;
  }
  const auto found = std::find_if(kTurned.begin(), kTurned.end(),
                                  [&](const Turned& turned) { return turned.first == type; });
  return found == kTurned.end() ? std::nullopt : std::optional(kAboutX * about_z(found->second));
}

bool is_old(const wbt::Node& node) { return !wbt::geometry_axis_is_z(node.version); }

// Returns the new frame of a geometry in its old one. A Shape has the frame of its geometry.
Placing standing(const wbt::NodePtr& node) {
  static constexpr std::array<std::string_view, 5> kUpright{"Cylinder", "Capsule", "Cone", "Plane",
                                                            "ElevationGrid"};
  if (node && node->type->name == "Shape") {
    return standing(node->node("geometry"));
  }
  if (!node || !is_old(*node) ||
      std::find(kUpright.begin(), kUpright.end(), node->type->name) == kUpright.end()) {
    return {};
  }
  if (node->type->name != "ElevationGrid") {
    return {kAboutX, {}};
  }
  // y of the new grid is -z, so the new grid begins where the old one ended.
  return {kAboutX, {0.0, 0.0, node->number("ySpacing") * (node->integer("yDimension") - 1)}};
}

// The heights of the old grid are in rows along z; those of the new grid are in the opposite order.
void turn_grid(wbt::Node& grid) {
  static constexpr std::int64_t kMaxGridPoints =
      1 << 24;  // a grid with more points, or with more omitted heights, is ignored
  static constexpr std::int64_t kMaxFlat = 1 << 20;
  const std::int64_t columns = grid.integer("xDimension");
  const std::int64_t rows = grid.integer("zDimension");
  std::vector<double> heights = grid.numbers("height");
  set_field(grid, "ySpacing", grid.number("zSpacing"));
  set_field(grid, "yDimension", grid.integer("zDimension"));
  remove_field(grid, "zSpacing");
  remove_field(grid, "zDimension");
  const auto given = static_cast<std::int64_t>(heights.size());
  if (columns < 1 || rows < 1 || columns * rows > std::min(kMaxGridPoints, given + kMaxFlat)) {
    return;
  }
  heights.resize(static_cast<std::size_t>(columns * rows));  // omitted heights are 0
  for (auto low = heights.begin(), high = heights.end() - columns; low < high;
       low += columns, high -= columns) {
    std::swap_ranges(low, low + columns, high);
  }
  set_field(grid, "height", std::move(heights));
}

// Merges the frame of the only child into the Pose above it.
void turn_pose(wbt::Node& pose, const Placing& child) {
  const Placing own = placing_of(pose);
  Vec3 scale{1.0, 1.0, 1.0};
  if (pose.has("scale")) {
    scale = pose.vec3("scale");
    set_field(pose, "scale", Vec3{scale.x, scale.z, scale.y});
  }
  set_placing(pose, {own.rotation * child.rotation,
                     own.translation + own.rotation * scaled(child.translation, scale)});
}

// This function only appends to the fields of the node; the indices of others stay.
void stand_up(wbt::Node& node, std::size_t index) {
  wbt::Field& field = node.fields[index];
  if (auto* one = std::get_if<wbt::NodePtr>(&field.value)) {
    if (field.type->name != "geometry" && *one) {
      *one = placed(standing(*one), *one);
    }
  } else if (auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
    if (is_pose(node) && several->size() == 1) {
      if (const Placing child = standing(several->front()); !child.is_identity()) {
        turn_pose(node, child);
      }
      return;
    }
    for (wbt::NodePtr& item : *several) {
      item = placed(standing(item), item);
    }
  }
}

void place_field(wbt::Node& node, std::string_view name, const Placing& placing) {
  const wbt::Field* field = node.find(name);
  if (field == nullptr) {
    return;
  }
  if (const auto* one = std::get_if<wbt::NodePtr>(&field->value)) {
    if (*one) {
      set_field(node, name,
                name == "boundingObject" ? placed_shapes(placing, *one) : placed(placing, *one));
    }
    return;
  }
  std::vector<wbt::NodePtr> children = node.nodes(name);
  for (wbt::NodePtr& child : children) {
    if (child->type->name != "TrackWheel") {  // it is in the plane of the Track and turns with it
      child = placed(placing, child);
    }
  }
  set_field(node, name, std::move(children));
}

wbt::NodePtr turned_physics(const wbt::Node& physics, const AxisAngle& turn) {
  auto copy = std::make_shared<wbt::Node>(physics);
  const Mat3 r = rotation_matrix(turn);
  if (physics.has("centerOfMass")) {
    std::vector<Vec3> centers = physics.vec3s("centerOfMass");
    std::transform(centers.begin(), centers.end(), centers.begin(),
                   [&](const Vec3& v) { return turn * v; });
    set_field(*copy, "centerOfMass", std::move(centers));
  }
  if (const auto& rows = physics.vec3s("inertiaMatrix"); rows.size() == 2) {
    set_field(*copy, "inertiaMatrix",
              inertia_rows(r * wbt::inertia_tensor(rows[0], rows[1]) * transposed(r)));
  }
  return copy;
}

// Turns the frame of a device. The nodes in it keep their places in the world.
void turn_device(wbt::Node& device, const AxisAngle& turn) {
  set_turn(device, "rotation", device.rotation("rotation") * turn);
  const Placing back{inverse(turn), {}};
  for (const std::string_view field :
       {"children", "boundingObject", "rotatingHead", "animatedGeometry"}) {
    place_field(device, field, back);
  }
  if (device.has("physics") && device.node("physics")) {
    set_field(device, "physics", turned_physics(*device.node("physics"), back.rotation));
  }
}

// The end of a Muscle is in the frame of the endPoint.
void turn_muscles(wbt::Node& joint, const AxisAngle& back) {
  Rewriter muscles([&](wbt::Node node) {
    if (node.type->name == "Muscle") {
      set_field(node, "endOffset", back * node.vec3("endOffset"));
    }
    return shared(std::move(node));
  });
  for (const std::string_view field : {"device", "device2", "device3"}) {
    if (joint.type->field(field) != nullptr && joint.has(field)) {
      set_field(joint, field, muscles.rewrite(joint.nodes(field)));
    }
  }
}

wbt::NodePtr turned(wbt::Node node) {
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    stand_up(node, i);
  }
  const std::string_view type = node.type->name;
  if (node.type->field("endPoint") != nullptr && type != "Slot" && node.has("endPoint")) {
    const wbt::NodePtr end = node.node("endPoint");
    if (const auto turn = end && is_old(*end) ? turn_of(end->type->name) : std::nullopt) {
      turn_muscles(node, inverse(*turn));
    }
  }
  if (!is_old(node)) {
    return std::make_shared<wbt::Node>(std::move(node));
  }
  if (type == "ElevationGrid") {
    turn_grid(node);
  } else if (type == "TrackWheel") {
    const AxisAngle wheel = node.rotation("rotation");
    place_field(node, "children", {inverse(wheel) * inverse(kAboutX) * wheel, {}});
  } else if (const auto turn = turn_of(type)) {
    if (type == "Viewpoint") {
      set_turn(node, "orientation", node.rotation("orientation") * *turn);
    } else {
      turn_device(node, *turn);
    }
  }
  return std::make_shared<wbt::Node>(std::move(node));
}

}  // namespace

void use_modern_axes(wbt::WorldFile& world) {
  world.nodes = Rewriter(turned).rewrite(world.nodes);
  flatten_bounding_objects(world);
}

}  // namespace servosim
