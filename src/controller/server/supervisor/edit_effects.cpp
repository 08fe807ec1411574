// SPDX-License-Identifier: Apache-2.0
#include "controller/server/supervisor/edit_effects.h"

#include <algorithm>
#include <set>

#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "sim/simulation_core.h"
#include "wbt/schema/node_types.h"

namespace servosim {

using wbt::EditEffect;
using wbt::Node;
using wbt::NodeKind;
using wbt::NodePtr;

namespace {

bool measures_light(const Scene& scene) {
  const auto measures = [](const DeviceSpec& device) {
    return device.body_sensor && device.body_sensor->kind == BodySensorKind::Light;
  };
  return std::any_of(scene.robots.begin(), scene.robots.end(), [&](const RobotSpec& robot) {
    return std::any_of(robot.devices.begin(), robot.devices.end(), measures);
  });
}

// Whether `is_wanted` holds for a node or one below it.
template <typename Predicate>
bool any_below(const Node& node, const Predicate& is_wanted) {
  const auto below = [&](const NodePtr& child) {
    return child != nullptr && any_below(*child, is_wanted);
  };
  return is_wanted(node) ||
         std::any_of(node.fields.begin(), node.fields.end(), [&](const wbt::Field& field) {
           if (const auto* one = std::get_if<NodePtr>(&field.value)) {
             return below(*one);
           }
           const auto* list = std::get_if<std::vector<NodePtr>>(&field.value);
           return list != nullptr && std::any_of(list->begin(), list->end(), below);
         });
}

}  // namespace

bool EditEffects::is_simulated(const Node& node) const {
  const bool lights_count = measures_light(core_of(simulation_).scene());
  const bool shapes_count = has_infra_red_sensor(core_of(simulation_).scene());
  return any_below(node, [&](const Node& n) {
    const wbt::TreeEntry* const known = tree_.find(n.id);
    if (known != nullptr && known->collides) {
      return true;
    }
    switch (n.type->kind) {
      case NodeKind::Grouping:
      case NodeKind::View:
        return false;
      case NodeKind::Shape:
      case NodeKind::Appearance:
        return shapes_count;
      case NodeKind::Light:
        return lights_count;
      default:
        return true;
    }
  });
}

bool EditEffects::is_simulated(const std::vector<NodePtr>& before,
                               const std::vector<NodePtr>& after) const {
  const auto is_other = [this](const std::vector<NodePtr>& nodes,
                               const std::vector<NodePtr>& known) {
    std::set<std::uint32_t> ids;
    for (const NodePtr& node : known) {
      ids.insert(node != nullptr ? node->id : 0);
    }
    return std::any_of(nodes.begin(), nodes.end(), [&](const NodePtr& node) {
      return node != nullptr && !ids.contains(node->id) && is_simulated(*node);
    });
  };
  return is_other(before, after) || is_other(after, before);
}

bool EditEffects::has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                             const wbt::Value& value) const {
  if (field.edit == EditEffect::None || (field.edit == EditEffect::Reflection &&
                                         !has_infra_red_sensor(core_of(simulation_).scene()))) {
    return false;
  }
  if (entry.node->type->kind == NodeKind::Appearance) {
    return field.edit == EditEffect::Reflection;
  }
  if (entry.collides) {
    return true;
  }
  if (const auto* now = std::get_if<std::vector<NodePtr>>(&value);
      now != nullptr && field.name == "children") {
    return is_simulated(entry.node->nodes("children"), *now);
  }
  const auto* const node = std::get_if<NodePtr>(&value);
  return is_simulated(*entry.node) || (node != nullptr && *node && is_simulated(**node));
}

}  // namespace servosim
