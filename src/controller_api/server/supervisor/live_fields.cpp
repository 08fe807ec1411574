// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/live_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/assert.h"
#include "base/limits.h"
#include "controller_api/server/supervisor/field_values.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "sim/world_inspector.h"
#include "wbt/eras/legacy.h"
#include "wbt/schema/node_types.h"
#include "wbt/values.h"

namespace servosim {
namespace {

using wbt::EditEffect;
using wbt::Node;
using wbt::Tree;
using wbt::TreeEntry;
using wbt::Value;

constexpr double kSamePlace = 1e-12;
constexpr double kMaxMagnitude = kMaxCoordinate / 2.0;  // [m, m/s, rad/s]

bool has_place(const Node& node) { return node.type->field("translation") != nullptr; }

bool is_near(const Pose& a, const Pose& b) {
  const double size = 1.0 + norm(a.translation);
  bool near = norm(a.translation - b.translation) <= kSamePlace * size;
  for (std::size_t i = 0; near && i < a.rotation.m.size(); ++i) {
    near = std::abs(a.rotation.m[i] - b.rotation.m[i]) <= kSamePlace;
  }
  return near;
}

Vec3 scale_of(const Node& node) {
  const wbt::Field* scale = node.find("scale");
  const auto* value = scale != nullptr ? std::get_if<Vec3>(&scale->value) : nullptr;
  return value != nullptr ? *value : Vec3{1.0, 1.0, 1.0};
}

Vec3 unscaled(const Vec3& v, const Vec3& s) { return {v.x / s.x, v.y / s.y, v.z / s.z}; }

}  // namespace

void check_magnitude(double size) {
  if (size > kMaxMagnitude) {
    throw SupervisorRequestError(fmt::format(
        "called with {:g}: nothing beyond 5e8 m, m/s or rad/s can be simulated.", size));
  }
}

bool LiveFields::may_be_live(const wbt::FieldType& field) {
  return field.edit == EditEffect::Live || field.edit == EditEffect::Place ||
         field.edit == EditEffect::Setting;
}

void LiveFields::refresh() {
  if (version_ == WorldInspector(simulation_).tree_version()) {
    return;
  }
  version_ = WorldInspector(simulation_).tree_version();
  solids_.clear();
  joints_.clear();
  const Scene& scene = WorldInspector(simulation_).scene();
  for (std::size_t i = 0; i < scene.solids.size(); ++i) {
    solids_.emplace(scene.solids[i].node, static_cast<int>(i));
  }
  std::vector<int> in_scene(scene.joints.size(), -1);
  for (int j = 0; j < simulation_.joints().size(); ++j) {
    if (const int index = WorldInspector(simulation_).joint_in_scene(j); index >= 0) {
      in_scene[static_cast<std::size_t>(index)] = j;
    }
  }
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    joints_[scene.joints[i].node].push_back(in_scene[i]);
  }
}

int LiveFields::solid(std::uint32_t node) {
  refresh();
  const auto found = solids_.find(node);
  return found != solids_.end() ? found->second : -1;
}

std::vector<int> LiveFields::joints(const Tree& tree, std::uint32_t id) {
  refresh();
  if (const auto found = joints_.find(id); found != joints_.end()) {
    return found->second;
  }
  const TreeEntry* entry = tree.find(id);
  const int joint = entry != nullptr ? joint_of(tree, *entry->node, "position") : -1;
  return joint >= 0 ? std::vector{joint} : std::vector<int>{};
}

// The joint whose position the field holds. The node is the joint or its parameters.
int LiveFields::joint_of(const Tree& tree, const Node& node, std::string_view name) {
  refresh();
  const auto axis_of = [this](std::uint32_t joint, std::size_t axis) {
    const auto found = joints_.find(joint);
    return found != joints_.end() && axis < found->second.size() ? found->second[axis] : -1;
  };
  if (name.size() > 8) {
    return axis_of(node.id, static_cast<std::size_t>(name.back() - '1'));
  }
  if (joints_.contains(node.id)) {
    return axis_of(node.id, 0);
  }
  const TreeEntry* entry = tree.find(node.id);
  const TreeEntry* joint = entry != nullptr ? tree.find(entry->above) : nullptr;
  if (joint == nullptr || !joints_.contains(entry->above)) {
    return -1;
  }
  static constexpr std::array<std::string_view, 3> kSlots{"jointParameters", "jointParameters2",
                                                          "jointParameters3"};
  for (std::size_t k = 0; k < kSlots.size(); ++k) {
    const wbt::Field* field = joint->node->find(kSlots[k]);
    const auto* slot = field != nullptr ? std::get_if<wbt::NodePtr>(&field->value) : nullptr;
    if (slot != nullptr && *slot && (*slot)->id == node.id) {
      // A ball joint without parameters of its first axis has them in its second slot.
      return axis_of(entry->above, k);
    }
  }
  return -1;
}

LiveFields::Frame LiveFields::frame_above(const Tree& tree, std::uint32_t id) {
  const TreeEntry* entry = tree.find(id);
  return entry == nullptr || entry->above == 0 ? Frame{} : frame(tree, entry->above);
}

LiveFields::Frame LiveFields::frame(const Tree& tree, std::uint32_t id) {
  const TreeEntry* entry = tree.find(id);
  if (entry == nullptr) {
    return {};
  }
  const Node& node = *entry->node;
  if (node.type->name == "TrackWheel") {
    Frame wheel = frame_above(tree, id);
    const Pose in_track = track_wheel_pose(node);
    wheel.pose = wheel.pose * Pose{in_track.rotation, scaled(in_track.translation, wheel.scale)};
    return wheel;
  }
  if (!has_place(node)) {
    return frame_above(tree, id);
  }
  Frame result;
  if (const int index = solid(id); index >= 0) {
    result.pose = simulation_.solid(index).pose();
    const Vec3 own = scale_of(node);
    result.scale = own == Vec3{1.0, 1.0, 1.0} ? result.scale : own;
    return result;
  }
  const Frame above = frame_above(tree, id);
  result.pose = above.pose * Pose{rotation_matrix(node.rotation("rotation")),
                                  scaled(node.vec3("translation"), above.scale)};
  result.scale = scaled(above.scale, scale_of(node));
  return result;
}

std::optional<LiveFields::Endpoint> LiveFields::endpoint_with(const Tree& tree, const Node& joint) {
  const std::vector<int> known = joints(tree, joint.id);
  const Scene& scene = WorldInspector(simulation_).scene();
  const int index = known.empty() ? -1 : WorldInspector(simulation_).joint_in_scene(known.front());
  if (index < 0 || scene.joints[static_cast<std::size_t>(index)].reference ||
      scene.joints[static_cast<std::size_t>(index)].child < 0) {
    return std::nullopt;
  }
  const JointSpec& now = scene.joints[static_cast<std::size_t>(index)];
  const Pose parent = now.parent >= 0 ? simulation_.solid(now.parent).pose() : Pose{};
  Pose moved;
  const auto axes_now = axes_of(scene, index);
  // The node of a USE has parameters of its own.
  for (std::size_t k = 0; k < std::min(known.size(), axes_now.size()); ++k) {
    moved = moved * motion_of(axes_now[k], simulation_.joint(known[k]).position());
  }
  const Pose zero = inverse(parent * moved) * simulation_.solid(now.child).pose();
  Diagnostics ignored;  // the rebuild reports it
  Findings findings(ignored);
  std::vector<JointSpec> axes = read_joint_axes(joint, findings);
  const Frame above = frame_above(tree, joint.id);
  const Pose frame = inverse(parent) * above.pose;
  for (JointSpec& axis : axes) {
    axis.axis = frame.rotation * axis.axis;
    axis.anchor = frame * scaled(axis.anchor, above.scale);
  }
  replace_parallel_axes(axes, parent.rotation, findings);
  const Pose local = inverse(frame) * start_motion(axes) * zero;
  return Endpoint{scene.solids[static_cast<std::size_t>(now.child)].node,
                  unscaled(local.translation, above.scale), axis_angle(local.rotation)};
}

// The pose of a Solid as its fields give it. Its numbers stay exact while it does not move.
LiveFields::Place LiveFields::place(const Tree& tree, const Node& node, int index) {
  const Frame above = frame_above(tree, node.id);
  Pose local = inverse(above.pose) * simulation_.solid(index).pose();
  local.translation = unscaled(local.translation, above.scale);
  const auto known = places_.find(node.id);
  const Place stated = known != places_.end()
                           ? known->second
                           : Place{node.vec3("translation"), node.rotation("rotation")};
  if (is_near(local, {rotation_matrix(stated.rotation), stated.translation})) {
    return stated;
  }
  return {local.translation, axis_angle(local.rotation)};
}

std::optional<Value> LiveFields::read(const Tree& tree, const Node& node,
                                      const wbt::FieldType& field) {
  SERVOSIM_ASSERT(may_be_live(field), "{}.{} is never live", node.type->name, field.name);
  const std::string_view name = field.name;
  if (name == "battery") {
    return read_battery(node);
  }
  if (node.type->name == "TrackWheel" && name == "rotation") {
    return read_track_wheel(tree, node);
  }
  if (field.edit == EditEffect::Setting) {
    return read_setting(simulation_, node.id, field);
  }
  if (name.starts_with("position")) {
    const int joint = joint_of(tree, node, name);
    return joint >= 0 ? std::optional<Value>(simulation_.joint(joint).position()) : std::nullopt;
  }
  const int index = node.type->is_solid && node.type->name != "Servo" ? solid(node.id) : -1;
  if (index < 0) {
    return std::nullopt;
  }
  if (name == "linearVelocity") {
    return simulation_.solid(index).velocity().linear;
  }
  if (name == "angularVelocity") {
    return simulation_.solid(index).velocity().angular;
  }
  const Place found = place(tree, node, index);
  return name == "translation" ? Value(found.translation) : Value(found.rotation);
}

// A wheel of a Track turns with the belt, without slip. A wheel inside the belt turns in the sense
// of the belt, one outside of it in the opposite sense. The initial value of its field is ignored.
std::optional<Value> LiveFields::read_track_wheel(const Tree& tree, const Node& node) {
  const TreeEntry* entry = tree.find(node.id);
  const std::vector<int> belts = entry != nullptr ? joints(tree, entry->above) : std::vector<int>{};
  const int index = belts.empty() ? -1 : WorldInspector(simulation_).joint_in_scene(belts.front());
  const double radius = node.number("radius");
  if (index < 0 || !WorldInspector(simulation_).scene().joints[index].belt || !(radius > 0.0)) {
    return std::nullopt;
  }
  const double way = simulation_.joint(belts.front()).position();
  const AxisAngle turned{*WorldInspector(simulation_).scene().joints[index].belt,
                         (node.boolean("inner") ? way : -way) / radius};
  return axis_angle(rotation_matrix(turned) * track_wheel_pose(node).rotation);
}

std::optional<Value> LiveFields::read_battery(const Node& node) {
  const auto* stated = std::get_if<std::vector<double>>(&node.value("battery"));
  for (int i = 0; stated != nullptr && !stated->empty() && i < simulation_.robots().size(); ++i) {
    const Robot& robot = simulation_.robot(i);
    if (robot.index() >= 0 && robot.spec().node == node.id && robot.battery() != nullptr) {
      std::vector<double> value = *stated;
      value.front() = robot.battery()->energy();
      return value;
    }
  }
  return std::nullopt;
}

void LiveFields::copy_to_tree(const Tree& tree, std::uint32_t id, std::string_view name,
                              wbt::Edits& edits) {
  const TreeEntry* found = tree.find(id);
  const wbt::FieldType* field =
      found != nullptr ? found->node->type->field(name, found->node->version) : nullptr;
  auto value = field != nullptr ? read(tree, *found->node, *field) : std::nullopt;
  if (value && *value != found->node->value(name)) {
    // Inside of a PROTO the value no longer comes from the file of the PROTO.
    const SourceLocation other = found->internal || found->node->proto.instance
                                     ? SourceLocation{}
                                     : found->node->where_of(name);
    if (field->edit == EditEffect::Setting) {
      set_parameters_of(tree, id, *field, *value, edits);
    }
    edits.change_value(id, [field, other, value = std::move(*value)](Node& node) {
      wbt::set_field(node, *field, other, value);
    });
  }
}

void LiveFields::copy_settings_to_tree(const Tree& tree, std::uint32_t device, wbt::Edits& edits) {
  const TreeEntry* found = tree.find(device);
  if (found != nullptr) {
    for (const wbt::FieldType* field : found->node->type->fields) {
      if (field->edit == EditEffect::Setting) {
        copy_to_tree(tree, device, field->name, edits);
      }
    }
  }
}

void LiveFields::copy_positions_to_tree(const Tree& tree, std::uint32_t joint, wbt::Edits& edits) {
  const TreeEntry* found = tree.find(joint);
  for (std::size_t i = 0; found != nullptr && i < found->node->fields.size(); ++i) {
    const wbt::Field& field = found->node->fields[i];
    const auto* slot = std::get_if<wbt::NodePtr>(&field.value);
    if (slot != nullptr && *slot && field.type->name.starts_with("jointParameters")) {
      copy_to_tree(tree, (*slot)->id, "position", edits);
    }
  }
}

void set_parameters_of(const Tree& tree, std::uint32_t id, const wbt::FieldType& field,
                       const Value& value, wbt::Edits& edits) {
  for (const wbt::ParameterPlace& p : wbt::parameters_of(tree, id, field)) {
    if (auto fitting = wbt::converted(value, field.type, p.type)) {
      edits.change_value(p.node, [p, fitting = std::move(*fitting)](Node& node) {
        wbt::set_parameter(node, p.number, fitting, p.level);
      });
    }
  }
}

bool LiveFields::write(const Tree& tree, const Node& node, const wbt::FieldType& field,
                       const Value& value) {
  const std::string_view name = field.name;
  try {
    if (name.starts_with("position")) {
      const int joint = joint_of(tree, node, name);
      if (joint < 0) {
        return false;
      }
      check_magnitude(std::abs(std::get<double>(value)));
      simulation_.joint(joint).set_state(std::get<double>(value));
      return true;
    }
    if (name == "battery" || field.edit == EditEffect::Setting || !node.type->is_solid ||
        node.type->name == "Servo") {
      return false;
    }
    const int index = solid(node.id);
    if (index < 0) {
      return false;
    }
    if (name.ends_with("Velocity")) {
      return write_velocity(name, index, std::get<Vec3>(value));
    }
    return write_place(tree, node, name, value);
  } catch (const std::invalid_argument&) {
    return false;  // it is a part of another body, or its joint closes a loop
  }
}

bool LiveFields::write_velocity(std::string_view name, int index, const Vec3& value) {
  check_magnitude(norm(value));
  SolidVelocity velocity = simulation_.solid(index).velocity();
  (name == "linearVelocity" ? velocity.linear : velocity.angular) = value;
  simulation_.solid(index).set_velocity(velocity);
  return true;
}

bool LiveFields::write_place(const Tree& tree, const Node& node, std::string_view name,
                             const Value& value) {
  const int index = solid(node.id);
  Place wanted = place(tree, node, index);
  if (name == "translation") {
    wanted.translation = std::get<Vec3>(value);
  } else {
    wanted.rotation = std::get<AxisAngle>(value);
  }
  const Frame above = frame_above(tree, node.id);
  const Pose in_world =
      above.pose * Pose{rotation_matrix(wanted.rotation), scaled(wanted.translation, above.scale)};
  if (!(norm(in_world.translation) <= kMaxCoordinate)) {
    throw SupervisorRequestError("called with a place that is farther away than 1e9 m.");
  }
  simulation_.solid(index).set_pose(in_world);
  places_[node.id] = wanted;
  return true;
}

namespace {

const DeviceNode* find_device(Simulation& simulation, std::uint32_t id) {
  for (int r = 0; r < simulation.robots().size(); ++r) {
    for (const DeviceNode& node : simulation.robot(r).devices()) {
      if (!node.detached && node.spec->node == id) {
        return &node;
      }
    }
  }
  return nullptr;
}

Value value_of(const DeviceSetting& setting, wbt::ValueType type) {
  const auto& [x, y, z] = setting.numbers;
  switch (type) {
    case wbt::ValueType::SFBool:
      return x != 0.0;
    case wbt::ValueType::SFInt32:
      return static_cast<std::int32_t>(x);
    case wbt::ValueType::SFVec3f:
      return Vec3{x, y, z};
    default:
      return x;
  }
}

std::vector<double> numbers_of(const Value& value) {
  if (const auto* vector = std::get_if<Vec3>(&value)) {
    return {vector->x, vector->y, vector->z};
  }
  if (const auto* number = std::get_if<std::int32_t>(&value)) {
    return {static_cast<double>(*number)};
  }
  const auto* truth = std::get_if<bool>(&value);
  return {truth != nullptr ? (*truth ? 1.0 : 0.0) : std::get<double>(value)};
}

// Whether the field of the node has this value, as the scene has read it.
bool is_of_file(const DeviceNode& node, const DeviceSetting& setting) {
  const std::vector<double> numbers(setting.numbers.begin(),
                                    setting.numbers.begin() + setting.count);
  const std::vector<DeviceField>& fields = node.spec->fields;
  return std::any_of(fields.begin(), fields.end(), [&](const DeviceField& field) {
    return field.name == setting.field && field.numbers == numbers;
  });
}

}  // namespace

std::optional<Value> read_setting(Simulation& simulation, std::uint32_t node,
                                  const wbt::FieldType& field) {
  const DeviceNode* const found = find_device(simulation, node);
  if (found == nullptr) {
    return std::nullopt;
  }
  std::vector<DeviceSetting> settings;
  for (const auto& device : found->devices) {
    device->list_settings(settings);
  }
  const auto setting =
      std::find_if(settings.begin(), settings.end(),
                   [&field](const DeviceSetting& one) { return one.field == field.name; });
  return setting == settings.end() || is_of_file(*found, *setting)
             ? std::nullopt
             : std::optional(value_of(*setting, field.type));
}

void write_setting(Simulation& simulation, const wbt::Tree& tree, const Setting& setting) try {
  const auto [id, name] = setting;
  const DeviceNode* const node = find_device(simulation, id);
  const wbt::TreeEntry* const found = node != nullptr ? tree.find(id) : nullptr;
  if (found == nullptr) {
    return;
  }
  for (const auto& device : node->devices) {
    device->set_field(name, numbers_of(found->node->value(name)));
  }
} catch (const std::logic_error&) {
  // The node has another type now, or the device has refused the value, which was reported.
}

}  // namespace servosim
