// SPDX-License-Identifier: Apache-2.0
// What an edit by a supervisor brings with it: limits of coupled motors, places that stay.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "controller_api/server/supervisor/tree_editor.h"
#include "scene/device_builders.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "sim/world_inspector.h"
#include "wbt/values.h"

namespace servosim {

using wbt::EditEffect;
using wbt::Node;
using wbt::NodePtr;

namespace {

double multiplier_of(const wbt::Node& motor) {
  const double multiplier = motor.number("multiplier");
  return multiplier != 0.0 ? multiplier : 1.0;
}

CoupledLimits limits_of(const wbt::Node& motor) {
  return {motor.number("minPosition"), motor.number("maxPosition"),
          std::abs(motor.number("maxVelocity"))};
}

}  // namespace

// The limits of an edited motor become those of the motors that are coupled to it, by their
// multipliers.
void TreeEditor::update_coupled_motors(Id id, OwnedResponse& response) {
  const wbt::TreeEntry* changed = tree_.find(id);
  const DeviceSpec* spec = nullptr;
  const RobotSpec* owner = nullptr;
  for (const RobotSpec& robot : WorldInspector(simulation_).scene().robots) {
    for (const DeviceSpec& device : robot.devices) {
      if (device.node == id && device.motor && device.motor->coupling > 0) {
        spec = &device;
        owner = &robot;
      }
    }
  }
  if (spec == nullptr || changed == nullptr) {
    return;
  }
  const CoupledLimits first = limits_of(*changed->node);
  wbt::Edits edits;
  wbt::Edits places;  // the limits are checked against present positions
  for (const DeviceSpec& device : owner->devices) {
    const wbt::TreeEntry* other = tree_.find(device.node);
    if (other == nullptr || device.node == id || !device.motor ||
        device.motor->coupling != spec->motor->coupling) {
      continue;
    }
    const CoupledLimits now =
        coupled_limits(first, multiplier_of(*changed->node), multiplier_of(*other->node));
    keep_joint_places(device.node, places);
    set_coupled_limit(device.node, "minPosition", now.low, edits, response);
    set_coupled_limit(device.node, "maxPosition", now.high, edits, response);
    set_coupled_limit(device.node, "maxVelocity", now.velocity, edits, response);
  }
  if (!edits.empty()) {
    commit(places, true);
    commit(edits, true);
  }
}

// Sets a limit, and the parameter from which the field has its value (IS).
void TreeEditor::set_coupled_limit(Id id, std::string_view name, double value, wbt::Edits& edits,
                                   OwnedResponse& response) {
  const Node& node = *tree_.find(id)->node;
  const double before = node.number(name);
  if (same_limit(value, before) || !std::isfinite(value)) {
    return;
  }
  response.add_line(
      fmt::format("warning: {} of \"{}\" becomes {} instead of {} to fit the motor it is "
                  "coupled to.",
                  name, node.string("name"), value, before));
  const wbt::FieldType* row = node.type->field(name, node.version);
  edits.change_value(id, [row, value](Node& n) { wbt::set_value(n, *row, value); });
  set_parameters_of(tree_, id, *row, value, edits);
}

// Before an edit of a place or of a joint, writes those present places into the tree that the edit
// does not change.
void TreeEditor::keep_places(const Node& node, const wbt::FieldType& field, wbt::Edits& edits) {
  switch (field.edit) {
    case EditEffect::Place:
    case EditEffect::Frame:
      if (!node.type->is_solid) {
        return keep_places_below(node.id, edits);
      }
      return live_.copy_to_tree(tree_, node.id,
                                field.name == "translation" ? "rotation" : "translation", edits);
    case EditEffect::JointFrame:
    case EditEffect::PositionLimit:
      return keep_joint_places(node.id, edits);
    default:
      return;
  }
}

// Writes the places of the endpoints of a joint. The node is the joint, its parameters or its
// motor.
void TreeEditor::keep_joint_places(Id id, wbt::Edits& edits) {
  std::vector<int> joints = live_.joints(tree_, id);
  if (joints.empty()) {  // the node is a motor
    joints = live_.joints(tree_, tree_.find(id)->above);
  }
  for (const int joint : joints) {
    const int index = WorldInspector(simulation_).joint_in_scene(joint);
    const int child = index >= 0 ? WorldInspector(simulation_).scene().joints[index].child : -1;
    if (child >= 0) {
      const Id solid = WorldInspector(simulation_).scene().solids[child].node;
      live_.copy_to_tree(tree_, solid, "translation", edits);
      live_.copy_to_tree(tree_, solid, "rotation", edits);
      live_.copy_positions_to_tree(tree_, WorldInspector(simulation_).scene().joints[index].node,
                                   edits);
    }
  }
}

// Writes the places of the Solids in a Pose, Transform or Group. The place of an endpoint follows
// from its joint, and that of a Solid inside another one from the other one.
void TreeEditor::keep_places_below(Id id, wbt::Edits& edits) {
  wbt::for_each_child(*tree_.find(id)->node, [&](const NodePtr& child) {
    const int solid = live_.solid(child->id);
    if (solid < 0) {
      return keep_places_below(child->id, edits);
    }
    if (WorldInspector(simulation_).scene().solids[static_cast<std::size_t>(solid)].joint < 0) {
      live_.copy_to_tree(tree_, child->id, "translation", edits);
      live_.copy_to_tree(tree_, child->id, "rotation", edits);
    }
  });
}

// New parameters place the endpoint of a joint, starting from its pose at position 0. Without
// parameters the endpoint stays.
void TreeEditor::place_endpoint(const Node& joint, const wbt::FieldType& slot,
                                const wbt::Value& value, wbt::Edits& edits) {
  Node after = joint;
  wbt::set_value(after, slot, value);
  if (const auto* node = std::get_if<NodePtr>(&value); node != nullptr && !*node) {
    const std::string saved = "position" + std::string(slot.name.substr(15));
    const wbt::FieldType* const field = joint.type->field(saved, joint.version);
    const auto position = field != nullptr ? live_.read(tree_, joint, *field) : std::nullopt;
    if (position) {
      wbt::set_value(after, *field, *position);
      edits.change_value(joint.id,
                         [field, now = *position](Node& n) { wbt::set_value(n, *field, now); });
    }
  }
  const auto place = live_.endpoint_with(tree_, after);
  const wbt::TreeEntry* const endpoint = place ? tree_.find(place->node) : nullptr;
  if (endpoint == nullptr) {
    return;
  }
  edits.change_value(place->node, [type = endpoint->node->type, version = endpoint->node->version,
                                   at = *place](Node& n) {
    wbt::set_value(n, *type->field("translation", version), at.translation);
    wbt::set_value(n, *type->field("rotation", version), at.rotation);
  });
}

}  // namespace servosim
