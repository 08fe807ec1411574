// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/simulated_parts.h"

#include <algorithm>
#include <cmath>

#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "sim/world_inspector.h"
#include "wbt/schema/node_types.h"

namespace servosim {

using wbt::EditEffect;
using wbt::Node;
using wbt::NodeKind;
using wbt::NodePtr;

namespace {

bool measures_light(const Scene& scene) {
  const auto measures = [](const DeviceSpec& device) { return device.node_type == "LightSensor"; };
  return std::any_of(scene.robots.begin(), scene.robots.end(), [&](const RobotSpec& robot) {
    return std::any_of(robot.devices.begin(), robot.devices.end(), measures);
  });
}

// Whether an edit makes a look fully transparent, or no longer so.
bool hides_or_shows(const Node& look, const FieldEdit& edit) {
  const double* const now = std::get_if<double>(&edit.value);
  return now == nullptr ||
         (*now >= 1.0 && std::isfinite(*now)) != (fraction_of(look, "transparency") >= 1.0);
}

// Whether a sensor sees the edit of a field of an appearance. A RangeFinder or Lidar sees only
// whether the Shape is fully transparent.
bool is_seen(const Scene& scene, const Node& node, const wbt::FieldType& field,
             const FieldEdit& edit) {
  if (has_camera(scene) || has_infra_red_sensor(scene) || has_pen(scene)) {
    return true;
  }
  if (!has_ranging_sensor(scene)) {
    return false;
  }
  return field.name == "transparency" ? hides_or_shows(node, edit)
                                      : field.name == "material" || field.name == "appearance";
}

// Whether `is_wanted` is true for a node or for one below it.
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

bool SimulatedParts::is_simulated(const Node& node) const {
  const Scene& scene = WorldInspector(simulation_).scene();
  const bool looks_count = has_camera(scene);
  const bool lights_count = looks_count || measures_light(scene);
  const bool shapes_count = looks_count || has_infra_red_sensor(scene) || has_pen(scene) ||
                            has_ranging_sensor(scene) || has_radar(scene);
  return any_below(node, [&](const Node& n) {
    const wbt::TreeEntry* const known = tree_.find(n.id);
    if (known != nullptr && known->collides) {
      return true;
    }
    switch (n.type->kind) {
      case NodeKind::Grouping:
        return false;
      case NodeKind::View:
        return looks_count;
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

bool SimulatedParts::is_simulated(const std::vector<NodePtr>& nodes) const {
  return std::any_of(nodes.begin(), nodes.end(), [this](const NodePtr& node) {
    return node != nullptr && is_simulated(*node);
  });
}

bool SimulatedParts::has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                                const FieldEdit& edit) const {
  if (field.edit == EditEffect::None ||
      (field.edit == EditEffect::Reflection &&
       !is_seen(WorldInspector(simulation_).scene(), *entry.node, field, edit))) {
    return false;
  }
  if (entry.node->type->kind == NodeKind::Appearance) {
    return field.edit == EditEffect::Reflection || has_camera(WorldInspector(simulation_).scene());
  }
  if (entry.collides) {
    return true;
  }
  const auto nodes = edit.change_of_nodes(entry.node->id, {});
  if (nodes && field.name == "children") {
    const wbt::TreeEntry* const gone = tree_.find(nodes->removed);
    return is_simulated(nodes->inserted) || (gone != nullptr && is_simulated(*gone->node));
  }
  const auto* const list = std::get_if<std::vector<NodePtr>>(&edit.value);
  if (list != nullptr && is_simulated(*list)) {
    return true;
  }
  return is_simulated(*entry.node) || (nodes && is_simulated(nodes->inserted));
}

}  // namespace servosim
