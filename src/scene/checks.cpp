// SPDX-License-Identifier: Apache-2.0
#include "scene/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/rolling.h"
#include "wbt/tree.h"
#include "wbt/values.h"

namespace servosim {

namespace {

std::string text_of(const wbt::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return '"' + *text + '"';
  }
  if (const auto* integer = std::get_if<std::int32_t>(&value)) {
    return fmt::format("{}", *integer);
  }
  return fmt::format("{}", std::get<double>(value));
}

}  // namespace

const wbt::Node* first_of_type(const wbt::WorldFile& file, std::string_view type) {
  const auto found =
      std::find_if(file.nodes.begin(), file.nodes.end(),
                   [type](const wbt::NodePtr& node) { return is_of_type(node, type); });
  return found != file.nodes.end() ? found->get() : nullptr;
}

void CheckedFields::warn_and_substitute(std::string_view field, std::string_view value,
                                        wbt::Value substitute, std::string_view rule) const {
  warn_of_replacement(field, value, text_of(substitute), rule);
  record_substitute(field, std::move(substitute));
}

void CheckedFields::record_substitute(std::string_view field, wbt::Value substitute) const {
  const wbt::FieldType* row = node_.type->field(field);
  if (!keeps_ && row != nullptr && node_.id != 0) {
    findings_.add({node_.id, row->name, std::move(substitute)});
  }
}

namespace {

using wbt::FieldType;
using wbt::Node;
using wbt::Value;

const FieldType* row_of(const Node& node, std::string_view field) {
  const wbt::Field* written = node.find(field);
  return written != nullptr ? written->type : node.type->field(field, node.version);
}

bool is_parameters(const Node& node) { return node.type->field("springConstant") != nullptr; }

double checked_number(const Node& node, std::string_view field, double value) {
  if (field == "staticFriction" && is_parameters(node)) {
    return std::abs(value);
  }
  if (node.type->name != "PositionSensor") {
    return value;
  }
  return field == "noise"                        ? std::max(value, 0.0)
         : field == "resolution" && value <= 0.0 ? -1.0
                                                 : value;
}

Vec3 checked_vector(const Node& node, std::string_view field, const Vec3& value) {
  if (field == "suspensionAxis" && value == Vec3{}) {
    return {1.0, 0.0, 0.0};
  }
  const auto bad = [](double x) { return x < 0.0 && x != -1.0; };
  const bool rolls = node.type->name == "ContactProperties" && field == "rollingFriction";
  return rolls && (bad(value.x) || bad(value.y) || bad(value.z)) ? Vec3{} : value;
}

}  // namespace

std::shared_ptr<const wbt::WorldFile> with_substitutes(std::shared_ptr<const wbt::WorldFile> file,
                                                       const std::vector<Substitute>& substitutes) {
  if (substitutes.empty()) {
    return file;
  }
  wbt::Tree tree(std::move(file));
  wbt::Edits edits;
  for (const Substitute& s : substitutes) {
    const wbt::TreeEntry* entry = tree.find(s.node);
    const FieldType* row = entry != nullptr ? row_of(*entry->node, s.field) : nullptr;
    if (row != nullptr) {
      edits.change(s.node,
                   [row, value = s.value](Node& node) { wbt::set_value(node, *row, value); });
      for (const wbt::ParameterPlace& p : wbt::parameters_of(tree, s.node, *row)) {
        if (wbt::initial_value(p.type).index() == s.value.index()) {
          edits.change(p.node, [p, value = s.value](Node& node) {
            wbt::set_parameter(node, p.number, value, p.level);
          });
        }
      }
    }
  }
  tree.apply(edits);
  return tree.file();
}

Value checked_on_edit(const Node& node, const FieldType& field, Value value, std::string& reason) {
  if (const auto* number = std::get_if<double>(&value)) {
    const double used = checked_number(node, field.name, *number);
    if (used != *number) {
      reason = fmt::format("{} cannot be {}; {} is used", field.name, *number, used);
    }
    return used;
  }
  if (const auto* vector = std::get_if<Vec3>(&value)) {
    const Vec3 used = checked_vector(node, field.name, *vector);
    if (used != *vector) {
      reason = fmt::format("{} cannot be {} {} {}; {} {} {} is used", field.name, vector->x,
                           vector->y, vector->z, used.x, used.y, used.z);
    }
    return used;
  }
  return value;
}

namespace {

void check_device_names(const RobotSpec& robot, Diagnostics& diagnostics) {
  std::map<std::string_view, const DeviceSpec*> first;
  std::set<std::string_view> reported;
  for (const DeviceSpec& device : robot.devices) {
    if (device.name.empty()) {
      continue;
    }
    const auto [known, is_new] = first.try_emplace(device.name, &device);
    if (!is_new && reported.insert(device.name).second) {
      diagnostics.warning(
          device.where,
          fmt::format("robot \"{}\" has a {} \"{}\" and a {} \"{}\"; a controller finds the first",
                      robot.name, known->second->node_type, device.name, device.node_type,
                      device.name));
    }
  }
}

void check_collisions(const Scene& scene, const SolidSpec& solid, Diagnostics& diagnostics) {
  if (solid.physics || solid.shapes.empty() || solid.parent < 0) {
    return;
  }
  const SolidSpec& parent = scene.solids[solid.parent];
  if (parent.physics) {
    diagnostics.warning(solid.where,
                        fmt::format("Solid \"{}\" has a boundingObject but no Physics: its "
                                    "collisions have no effect on Solid \"{}\" above it",
                                    solid.name, parent.name));
  }
}

bool has_velocity(const SolidSpec& solid) {
  return solid.linear_velocity != Vec3{} || solid.angular_velocity != Vec3{};
}

// Returns the nearest Solid above that a joint, its velocity or a device moves without forces, if
// no Solid between has Physics. Returns -1 if there is none.
// @param driven  the Solids that devices move
int kinematic_mover(const Scene& scene, const std::set<int>& driven, const SolidSpec& solid) {
  int s = solid.parent;
  while (s >= 0 && !scene.solids[s].physics && scene.solids[s].joint < 0 &&
         !has_velocity(scene.solids[s]) && !driven.contains(s)) {
    s = scene.solids[s].parent;
  }
  return s >= 0 && !scene.solids[s].physics ? s : -1;
}

void check_solids(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics) {
  const std::vector<int> wheel_driven = wheel_driven_solids(scene);
  const std::vector<int> heads = turning_heads(scene);
  std::set<int> driven(wheel_driven.begin(), wheel_driven.end());
  driven.insert(heads.begin(), heads.end());
  std::set<int> reported;
  int index = 0;
  for (const SolidSpec& solid : scene.solids) {
    if (blades.count(index++) == 0) {
      check_collisions(scene, solid, diagnostics);
    }
    const int mover = solid.physics ? kinematic_mover(scene, driven, solid) : -1;
    if (mover < 0 || !reported.insert(mover).second) {
      continue;
    }
    const SolidSpec& moved = scene.solids[mover];
    const auto is_in = [mover](const std::vector<int>& solids) {
      return std::find(solids.begin(), solids.end(), mover) != solids.end();
    };
    const bool rolls = is_in(wheel_driven);
    const std::string_view what = rolls              ? "wheels"
                                  : is_in(heads)     ? "Lidar"
                                  : moved.joint >= 0 ? "joint"
                                                     : "velocity";
    std::optional<MissingPart> missing;
    if (rolls) {
      missing = MissingPart{Missing::Bodies, fmt::format("what robot \"{}\" carries", moved.name),
                            "give the robot and its wheels Physics"};
    }
    diagnostics.warning(
        moved.where,
        fmt::format("Solid \"{}\" is moved by its {} but has no Physics: Solid \"{}\" below it "
                    "has Physics and is not carried along",
                    moved.name, what, solid.name),
        missing);
  }
}

}  // namespace

void check_scene(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics) {
  for (const RobotSpec& robot : scene.robots) {
    check_device_names(robot, diagnostics);
  }
  check_solids(scene, blades, diagnostics);
}

namespace {

struct Place {
  std::string_view type;
  std::string_view field;
};

// Webots allows these nodes in no other fields.
constexpr std::array<Place, 9> kPlaces{{
    {"SolidReference", "the endPoint of a joint"},
    {"Muscle", "the muscles of a motor"},
    {"JointParameters", "the jointParameters of a joint"},
    {"HingeJointParameters", "the jointParameters of a joint"},
    {"BallJointParameters", "the jointParameters of a joint"},
    {"Physics", "the physics of a Solid"},
    {"Damping", "the damping of a Physics node or the defaultDamping of WorldInfo"},
    {"ImmersionProperties", "the immersionProperties of a Solid"},
    {"ContactProperties", "the contactProperties of WorldInfo"},
}};

}  // namespace

namespace {

// Returns which feature of a Solid with Physics no body can have, or an empty text if it can be
// simulated.
std::string fault_of_body(const wbt::Node& solid, const Vec3& at) {
  if (!(norm(at) < kMaxCoordinate)) {
    return fmt::format("stands at {:.3g} {:.3g} {:.3g}, farther than {:g} m", at.x, at.y, at.z,
                       kMaxCoordinate);
  }
  for (const std::string_view field : {"linearVelocity", "angularVelocity"}) {
    const double speed = norm(solid.vec3(field));
    if (std::isfinite(speed) && speed >= kMaxCoordinate) {
      return fmt::format("has a {} of {:.3g}, more than {:g}", field, speed, kMaxCoordinate);
    }
  }
  return {};
}

}  // namespace

bool is_out_of_space(const wbt::Node& node, const Vec3& at, Diagnostics& diagnostics) {
  std::string fault;
  if (!is_finite(node.vec3("translation"))) {
    fault = "has no place";
  } else if (node.type->is_solid && node.node("physics")) {
    fault = fault_of_body(node, at);
  }
  if (fault.empty()) {
    return false;
  }
  const std::string name = node.type->is_solid
                               ? fmt::format("{} \"{}\"", node.type->name, node.string("name"))
                               : fmt::format("what is in a {}", node.type->name);
  diagnostics.warning(
      node.where_of("translation"),
      fmt::format("{} {}, as Webots saves a body whose simulation has diverged; it is left out",
                  name, fault),
      MissingPart{Missing::Bodies, name, "correct it in the world file"});
  return true;
}

void warn_if_without_effect(const wbt::Node& node, Diagnostics& diagnostics) {
  if (node.type->name == "Fluid") {
    diagnostics.warning(node.where, "Fluid is not simulated; it has no effect",
                        MissingPart{Missing::Fluids, "Fluid",
                                    "it is not simulated; a supervisor can push bodies instead, by "
                                    "wb_supervisor_node_add_force()"});
  }
  for (const Place& place : kPlaces) {
    if (node.type->name == place.type) {
      diagnostics.replacement(node.where, fmt::format("a {} has no effect here; it belongs in {}",
                                                      place.type, place.field));
    }
  }
}

namespace {

using Names = std::set<std::string>;

// Returns the first of `name#n`, `name#n+1` … that is not in `taken`, and adds it.
std::string numbered(const std::string& name, int& n, Names& taken) {
  std::string candidate;
  do {
    candidate = fmt::format("{}#{}", name, n++);
  } while (!taken.insert(candidate).second);
  return candidate;
}

void warn_of_same_name(const RobotSpec& first, const RobotSpec& second, int count,
                       Diagnostics& diagnostics) {
  const Diagnostic place = diagnostics.sources().resolve(first.where);
  diagnostics.replacement(
      second.where,
      fmt::format("the robot at {}:{}:{} is called \"{}\" too; this one is \"{}\" here{}",
                  place.file, place.line, place.column, first.given_name, second.name,
                  count > 2 ? fmt::format(", and so on: {} robots have that name", count) : ""));
}

void number_robots(Scene& scene, Diagnostics& diagnostics) {
  struct Namesakes {
    std::vector<RobotSpec*> robots;
    int next = 2;
  };
  Names taken;
  std::map<std::string, Namesakes> by_name;
  for (RobotSpec& robot : scene.robots) {
    taken.insert(robot.given_name);
    by_name[robot.given_name].robots.push_back(&robot);
  }
  for (RobotSpec& robot : scene.robots) {
    Namesakes& same = by_name[robot.given_name];
    if (&robot != same.robots.front()) {
      robot.name = numbered(robot.given_name, same.next, taken);
    }
    if (same.robots.size() > 1 && &robot == same.robots[1]) {
      warn_of_same_name(*same.robots[0], robot, static_cast<int>(same.robots.size()), diagnostics);
    }
  }
}

void name_joints(Scene& scene) {
  Names taken;
  std::map<std::string, int> next;
  for (JointSpec& joint : scene.joints) {
    const std::string owner = joint.robot >= 0 ? scene.robots[joint.robot].name : "world";
    const std::string full = owner + '/' + (joint.name.empty() ? "joint" : joint.name);
    joint.name = taken.insert(full).second
                     ? full
                     : numbered(full, next.emplace(full, 2).first->second, taken);
  }
}

}  // namespace

void make_names_unique(Scene& scene, Diagnostics& diagnostics) {
  number_robots(scene, diagnostics);
  name_joints(scene);
}

}  // namespace servosim
