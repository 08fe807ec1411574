// SPDX-License-Identifier: Apache-2.0
// SupervisorDesk: of which changes the simulation has to know.
#include <algorithm>
#include <array>
#include <set>

#include "controller/supervisor_desk.h"
#include "core/name_list.h"
#include "scene/joint_axes.h"
#include "scene/scene.h"
#include "scene/visible_shapes.h"

namespace servosim {
namespace {

using wbt::Node;
using wbt::NodePtr;

constexpr std::array<std::string_view, 3> kViews{"Viewpoint", "Background", "Fog"};
constexpr std::array<std::string_view, 8> kLooks{"Appearance",   "PBRAppearance",    "Material",
                                                 "ImageTexture", "TextureTransform", "Color",
                                                 "Normal",       "TextureCoordinate"};
// Of those, what infra-red sensors see.
constexpr std::array<std::string_view, 5> kReflecting{"baseColor", "diffuseColor", "material",
                                                      "roughness", "transparency"};
// Pictures, where they do not stand in a boundingObject and no infra-red sensor sees them.
constexpr std::array<std::string_view, 14> kShapes{
    "Shape",    "Box",       "Sphere",   "Cylinder",       "Capsule",       "Cone",
    "Plane",    "Mesh",      "CadShape", "IndexedFaceSet", "ElevationGrid", "IndexedLineSet",
    "PointSet", "Coordinate"};
// They have places, and are what stands in them.
constexpr std::array<std::string_view, 4> kGroups{"Group", "Pose", "Transform", "Billboard"};
constexpr std::array<std::string_view, 3> kLights{"DirectionalLight", "PointLight", "SpotLight"};
constexpr std::array<std::string_view, 11> kFields{"description",  "recognitionColors",
                                                   "locked",       "translationStep",
                                                   "rotationStep", "title",
                                                   "info",         "window",
                                                   "customData",   "castShadows",
                                                   "isPickable"};

bool measures_light(const Scene& scene) {
  const auto measures = [](const DeviceSpec& device) {
    return device.solid_sensor && device.solid_sensor->kind == SolidSensorKind::Light;
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

// Whether the simulation makes anything of a node, or of one below it; else it is a picture only.
bool SupervisorDesk::is_made_of(const Node& node) const {
  const bool dark = !measures_light(simulation_.scene());
  const bool seen = sees_shapes(simulation_.scene());
  return any_below(node, [&](const Node& n) {
    const std::string_view type = n.type->name;
    const wbt::TreeEntry* const known = tree_.find(n.id);
    return (known != nullptr && known->collides) ||
           !(is_one_of(kGroups, type) || is_one_of(kViews, type) ||
             (!seen && (is_one_of(kLooks, type) || is_one_of(kShapes, type))) ||
             (dark && is_one_of(kLights, type)));
  });
}

// The same for those that are in one of two lists only.
bool SupervisorDesk::is_made_of(const std::vector<NodePtr>& before,
                                const std::vector<NodePtr>& after) const {
  const auto is_news = [this](const std::vector<NodePtr>& nodes,
                              const std::vector<NodePtr>& known) {
    std::set<Id> ids;
    for (const NodePtr& node : known) {
      ids.insert(node != nullptr ? node->id : 0);
    }
    return std::any_of(nodes.begin(), nodes.end(), [&](const NodePtr& node) {
      return node != nullptr && !ids.contains(node->id) && is_made_of(*node);
    });
  };
  return is_news(before, after) || is_news(after, before);
}

// Whether anything but a picture is made of the field, which is to have that value.
bool SupervisorDesk::has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
                                const wbt::Value& value) const {
  const std::string_view type = entry.node->type->name;
  const bool seen = sees_shapes(simulation_.scene());
  if (is_one_of(kFields, field.name) || (!seen && field.name.ends_with("ppearance"))) {
    return false;
  }
  if (is_one_of(kLooks, type)) {
    return seen && is_one_of(kReflecting, field.name);
  }
  if (entry.collides) {
    return true;
  }
  if (const auto* now = std::get_if<std::vector<NodePtr>>(&value);
      now != nullptr && field.name == "children") {
    return is_made_of(entry.node->nodes("children"), *now);
  }
  const auto* const node = std::get_if<NodePtr>(&value);
  return is_made_of(*entry.node) || (node != nullptr && *node && is_made_of(**node));
}

// Other parameters of a joint put its endpoint where they say, seen from where it is at position 0;
// without any it stays.
void SupervisorDesk::place_endpoint(const Node& joint, const wbt::FieldType& slot,
                                    const wbt::Value& value, wbt::Edits& edits) {
  Node after = joint;
  wbt::set_value(after, slot, value);
  if (const auto* node = std::get_if<NodePtr>(&value); node != nullptr && !*node) {
    const std::string saved = "position" + std::string(slot.name.substr(15));
    const auto position = live_.read(tree_, joint, saved);
    const wbt::FieldType* const field = joint.type->field(saved, joint.version);
    if (position && field != nullptr) {
      wbt::set_value(after, *field, *position);
      edits.change(joint.id, [field, now = *position](Node& n) { wbt::set_value(n, *field, now); });
    }
  }
  const auto place = live_.endpoint_with(tree_, after);
  const wbt::TreeEntry* const endpoint = place ? tree_.find(place->node) : nullptr;
  if (endpoint == nullptr) {
    return;
  }
  edits.change(place->node, [type = endpoint->node->type, version = endpoint->node->version,
                             at = *place](Node& n) {
    wbt::set_value(n, *type->field("translation", version), at.translation);
    wbt::set_value(n, *type->field("rotation", version), at.rotation);
  });
}

}  // namespace servosim
