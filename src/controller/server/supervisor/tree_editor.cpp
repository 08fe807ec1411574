// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>

#include "base/scoped.h"
#include "base/text.h"
#include "controller/server/field_values.h"
#include "controller/server/supervisor/supervisor_server.h"
#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "servosim/diagnostics.h"
#include "sim/node_states.h"
#include "wbt/schema/accepted_nodes.h"
#include "wbt/tree.h"
#include "wbt/values.h"

// SupervisorServer: changes of fields.

namespace servosim {
namespace {

using wbt::FieldKey;
using wbt::FieldView;
using wbt::NodePtr;
using wbt::Value;

constexpr std::array<std::string_view, 4> kCoupled{"minPosition", "maxPosition", "maxVelocity",
                                                   "multiplier"};

double multiplier_of(const wbt::Node& motor) {
  const double multiplier = motor.number("multiplier");
  return multiplier != 0.0 ? multiplier : 1.0;
}

CoupledLimits limits_of(const wbt::Node& motor) {
  return {motor.number("minPosition"), motor.number("maxPosition"),
          std::abs(motor.number("maxVelocity"))};
}

// Does it to the field as it is now, which somebody else may have changed since. @throws
// SupervisorRequestError if its item is no longer there
void perform(const FieldEdit& edit, Value& value) {
  if (edit.whole) {
    value = edit.value;
    return;
  }
  std::int32_t index = edit.index;
  if (edit.gone != 0) {
    const auto& list = std::get<std::vector<NodePtr>>(value);
    const std::size_t size = list.size();
    const auto expected = static_cast<std::size_t>(index + (index < 0 ? item_count(value) : 0));
    const bool is_there = expected < size && list[expected]->id == edit.gone;
    const std::size_t place = is_there ? expected : place_of(list, edit.gone);
    if (place == size) {
      return;  // somebody else was faster
    }
    index = static_cast<std::int32_t>(place);
  } else if (edit.how == Change::Insert) {
    index = std::min(index, item_count(value));
    index = index < -item_count(value) - 1 ? 0 : index;
    if (const auto* nodes = std::get_if<std::vector<NodePtr>>(&edit.value)) {
      for (const NodePtr& node : *nodes) {
        change_item(value, edit.how, index, node);
        index += index < 0 ? 0 : 1;
      }
      return;
    }
  }
  change_item(value, edit.how, index, edit.value);
}

// The same for a field that the parameter is for, which may be of another type: then it gets what
// the whole list is now.
std::optional<FieldEdit> fitted(const FieldEdit& edit, const FieldView& from, wbt::ValueType to) {
  FieldEdit result = edit;
  if (!edit.whole && wbt::initial_value(to).index() == from.value->index()) {
    return result;
  }
  if (!edit.whole) {
    result.value = *from.value;
    perform(edit, result.value);
    result.whole = true;
  }
  auto value = wbt::converted(result.value, from.type, to);
  if (!value) {
    return std::nullopt;
  }
  result.value = std::move(*value);
  return result;
}

}  // namespace

void SupervisorServer::change(FieldEdit edit) {
  const wbt::Node& node = *tree_.find(edit.node)->node;
  const wbt::Targets targets = wbt::targets_of(node, edit.key);
  if (targets.again) {
    return make_again(edit);
  }
  const FieldView field = *wbt::field_view(node, edit.key);
  wbt::Edits edits = std::exchange(read_, {});
  std::vector<Setting> settings;
  bool effect = false;
  bool only_live = !targets.fields.empty();
  for (const wbt::Connection& c : targets.fields) {
    const wbt::TreeEntry* target = tree_.find(c.node);
    auto fitting = fitted(edit, field, c.field->type);
    if (target == nullptr || !fitting) {
      continue;
    }
    if (fitting->whole && LiveFields::may_be_live(c.field->name) &&
        live_.write(tree_, *target->node, c.field->name, fitting->value)) {
      continue;
    }
    only_live = false;
    keep_place(*target->node, c.field->name, edits);
    if (fitting->whole) {
      check(*target->node, *c.field, fitting->value);
      if (edit.value.index() == fitting->value.index()) {
        edit.value = fitting->value;
      }
      if (is_setting(c.field->name)) {
        settings.push_back({c.node, c.field->name});
      }
    }
    Value after = target->node->value(c.field->name);
    perform(*fitting, after);
    if (c.field->name.starts_with("jointParameters")) {
      place_endpoint(*target->node, *c.field, after, edits);
    }
    effect = effect || has_effect(*target, *c.field, after);
    edits.change(c.node, [row = c.field, e = std::move(*fitting)](wbt::Node& n) {
      Value value = n.value(row->name);
      perform(e, value);
      wbt::set_value(n, *row, std::move(value));
    });
    change_parameters(edit, field, c, edits);
  }
  if (edit.key.level == 1 && !only_live) {
    edits.change(edit.node, [e = edit](wbt::Node& n) {
      Value value = n.instance->value(e.key.number);
      perform(e, value);
      wbt::set_parameter(n, e.key.number, std::move(value));
    });
  }
  commit(std::move(edits), effect, std::move(settings));
  for (const wbt::Connection& c : targets.fields) {
    if (is_one_of(kCoupled, c.field->name)) {
      impose(c.node);
    }
  }
}

// The motor that was changed gives its limits to those that are coupled to it.
void SupervisorServer::impose(Id id) {
  const wbt::TreeEntry* changed = tree_.find(id);
  const DeviceSpec* spec = nullptr;
  const RobotSpec* owner = nullptr;
  for (const RobotSpec& robot : simulation_.scene().robots) {
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
  wbt::Edits places;  // by which the limits are checked
  for (const DeviceSpec& device : owner->devices) {
    const wbt::TreeEntry* other = tree_.find(device.node);
    if (other == nullptr || device.node == id || !device.motor ||
        device.motor->coupling != spec->motor->coupling) {
      continue;
    }
    const CoupledLimits now =
        coupled_limits(first, multiplier_of(*changed->node), multiplier_of(*other->node));
    keep_place(*other->node, "minPosition", places);
    put(device.node, "minPosition", now.low, edits);
    put(device.node, "maxPosition", now.high, edits);
    put(device.node, "maxVelocity", now.velocity, edits);
  }
  if (!edits.empty()) {
    commit(places, true);
    commit(edits, true);
  }
}

// Writes what follows from another change; a parameter that the field IS, too.
void SupervisorServer::put(Id id, std::string_view name, double value, wbt::Edits& edits) {
  const wbt::Node& node = *tree_.find(id)->node;
  const double before = node.number(name);
  if (same_limit(value, before) || !std::isfinite(value)) {
    return;
  }
  text_ += fmt::format(
      "{}warning: {} of \"{}\" becomes {} instead of {} to fit the motor it is "
      "coupled to.",
      text_.empty() ? "" : "\n", name, node.string("name"), value, before);
  response_.text = text_;
  const wbt::FieldType* row = node.type->field(name, node.version);
  edits.change(id, [row, value](wbt::Node& n) { wbt::set_value(n, *row, value); });
  note_parameters(id, *row, value, edits);
}

// Of a derived PROTO, and of instances in the body, the parameters between this one and the field.
void SupervisorServer::change_parameters(const FieldEdit& edit, const FieldView& field,
                                         const wbt::Connection& target, wbt::Edits& edits) const {
  for (const wbt::ParameterPlace& p : wbt::parameters_of(tree_, target.node, *target.field)) {
    auto fitting = fitted(edit, field, p.type);
    if (!fitting || (p.node == edit.node && p.level <= edit.key.level)) {
      continue;
    }
    edits.change(p.node, [p, e = std::move(*fitting)](wbt::Node& n) {
      Value value = wbt::instance_at(n, p.level)->value(p.number);
      perform(e, value);
      wbt::set_parameter(n, p.number, std::move(value), p.level);
    });
  }
}

// What a field takes for a bad value when it is written.
void SupervisorServer::check(const wbt::Node& node, const wbt::FieldType& field, Value& value) {
  std::string said;
  value = checked_on_edit(node, field, std::move(value), said);
  if (!said.empty()) {
    text_ += fmt::format("{}warning: {}.", text_.empty() ? "" : "\n", said);
    response_.text = text_;
  }
}

// When the tree moves something, what it says of other places must be of now.
void SupervisorServer::keep_place(const wbt::Node& node, std::string_view field,
                                  wbt::Edits& edits) {
  static constexpr std::array<std::string_view, 6> kOfJoints{
      "anchor", "axis", "minPosition", "maxPosition", "minStop", "maxStop"};
  const bool is_place = field == "translation" || field == "rotation" || field == "scale";
  if (is_place && node.type->is_solid) {
    note_live(node.id, field == "translation" ? "rotation" : "translation", edits);
  } else if (is_place) {
    keep_places_below(node.id, edits);
  } else if (is_one_of(kOfJoints, field)) {
    std::vector<int> joints = live_.joints(tree_, node.id);
    if (joints.empty()) {  // of a motor
      joints = live_.joints(tree_, tree_.find(node.id)->above);
    }
    for (const int joint : joints) {
      const int index = simulation_.joint_in_scene(joint);
      const int child = index >= 0 ? simulation_.scene().joints[index].child : -1;
      if (child >= 0) {
        note_live(simulation_.scene().solids[child].node, "translation", edits);
        note_live(simulation_.scene().solids[child].node, "rotation", edits);
        note_positions(simulation_.scene().joints[index].node, edits);
      }
    }
  }
}

// Of the Solids that stand in a Pose, Transform or Group; an endpoint goes by its joint.
void SupervisorServer::keep_places_below(Id id, wbt::Edits& edits) {
  const auto& solids = simulation_.scene().solids;
  const auto is_below = [&](const SolidSpec& solid) {
    return tree_.find(solid.node) != nullptr && tree_.is_below(solid.node, id);
  };
  for (const SolidSpec& solid : solids) {
    const bool is_first = solid.parent < 0 || !is_below(solids[solid.parent]);
    if (solid.joint < 0 && is_first && is_below(solid)) {
      note_live(solid.node, "translation", edits);
      note_live(solid.node, "rotation", edits);
    }
  }
}

// The references a controller holds go by number, so none is given twice; after a reset the tree
// has forgotten some.
wbt::WorldFile SupervisorServer::world_to_read_for() const {
  wbt::WorldFile world = *tree_.file();
  world.last_id = std::max(world.last_id, simulation_.node_states().last_id);
  return world;
}

// A template looks at the parameter.
void SupervisorServer::make_again(const FieldEdit& edit) {
  const wbt::Node& node = *tree_.find(edit.node)->node;
  wbt::WorldFile world = world_to_read_for();
  wbt::Edits edits = std::exchange(read_, {});
  world.last_id = std::max(world.last_id, edits.last_id);
  auto given = node.instance->given;
  Value value = node.instance->value(edit.key.number);
  perform(edit, value);
  given[edit.key.number] = std::move(value);
  Diagnostics diagnostics;
  const ScopedSwap swapped(simulation_.sources(), diagnostics.sources());
  wbt::NodePtr made = wbt::instantiate_again(world, node, std::move(given), diagnostics);
  if (!made || diagnostics.errors() > 0) {
    throw SupervisorRequestError(
        fmt::format("the PROTO cannot be made with this value: {}", first_message(diagnostics)));
  }
  const bool effect = is_made_of(node) || is_made_of({}, {made});
  edits.last_id = world.last_id;
  edits.replaced[edit.node] = made;
  std::vector<Setting> settings;
  for (const wbt::Connection& c : made->instance->connections) {
    if (c.parameter == edit.key.number && c.field != nullptr && is_setting(c.field->name)) {
      settings.push_back({c.node, c.field->name});
    }
  }
  commit(std::move(edits), effect, std::move(settings));
}

// SupervisorServer: of which changes the simulation has to know.
namespace {

using wbt::Node;

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
bool SupervisorServer::is_made_of(const Node& node) const {
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
bool SupervisorServer::is_made_of(const std::vector<NodePtr>& before,
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
bool SupervisorServer::has_effect(const wbt::TreeEntry& entry, const wbt::FieldType& field,
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
void SupervisorServer::place_endpoint(const Node& joint, const wbt::FieldType& slot,
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

// SupervisorServer: nodes that come and go.
namespace {

constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();

// The fields of a level that hold nodes, as they stand in the tree.
std::vector<FieldKey> slots_of(const wbt::Node& node, std::uint8_t level) {
  std::vector<FieldKey> keys;
  const auto add = [&](std::size_t number, wbt::ValueType type) {
    if (wbt::holds_nodes(type)) {
      keys.push_back({level, static_cast<std::uint16_t>(number)});
    }
  };
  if (level == 0) {
    for (const wbt::Field& field : node.fields) {
      const auto rows = node.type->fields;
      add(static_cast<std::size_t>(std::find(rows.begin(), rows.end(), field.type) - rows.begin()),
          field.type->type);
    }
  } else if (node.instance != nullptr) {
    const auto& fields = node.instance->interface->fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      add(i, fields[i].type);
    }
  }
  return keys;
}

void check_removable(const wbt::TreeEntry& entry) {
  const std::string_view type = entry.node->type->name;
  if (type == "WorldInfo" || type == "Viewpoint") {
    throw SupervisorRequestError(fmt::format("a {} cannot be removed.", type));
  }
  if (entry.internal) {
    throw SupervisorRequestError("a node inside of a PROTO cannot be removed.");
  }
}

}  // namespace

void SupervisorServer::import(const SupervisorRequest& request) {
  if (request.text.size() > kMaxImport) {
    throw SupervisorRequestError("the text is too long.");
  }
  Value value;
  if (request.node == 0) {
    value = tree_.file()->nodes;
  } else {
    writes_live(request);
    const FieldView field = view(request);
    if (!wbt::holds_nodes(field.type)) {
      throw SupervisorRequestError(fmt::format("called with a wrong field type: {} holds no nodes.",
                                               wbt::to_string(field.type)));
    }
    value = *field.value;
    if (const auto* there = std::get_if<NodePtr>(&value); there != nullptr && *there) {
      throw SupervisorRequestError("called with a non-empty field: remove its node first.");
    }
  }
  const auto* list = std::get_if<std::vector<NodePtr>>(&value);
  const std::size_t at = list != nullptr ? checked_index(request.index, list->size(), true) : 0;
  const std::vector<NodePtr> made = read_nodes(request);
  if (list == nullptr && made.size() > 1) {
    throw SupervisorRequestError("the text holds more than one node, the field one.");
  }
  response_.text = text_;
  read_.imported = made;
  if (request.node == 0) {
    wbt::Edits edits = std::move(read_);
    for (std::size_t i = 0; i < made.size(); ++i) {
      // The last place is the end, whatever somebody else adds.
      edits.inserted.emplace_back(at == list->size() ? kEnd : at + i, made[i]);
    }
    return commit(std::move(edits), is_made_of({}, made));
  }
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  edit.how = Change::Insert;
  edit.index = list != nullptr && at == list->size() ? -1 : static_cast<std::int32_t>(at);
  edit.whole = list == nullptr;
  edit.value = list != nullptr ? Value(made) : Value(made.front());
  change(std::move(edit));
}

// The nodes of the text, if they may stand where they are to stand. Messages go to text_, what else
// comes with them to read_.
std::vector<wbt::NodePtr> SupervisorServer::read_nodes(const SupervisorRequest& request) {
  wbt::WorldFile world = world_to_read_for();
  Diagnostics diagnostics;
  const ScopedSwap swapped(simulation_.sources(), diagnostics.sources());
  auto nodes = wbt::read_nodes(world, std::string(request.text), diagnostics);
  if (diagnostics.errors() > 0 || nodes.empty()) {
    throw SupervisorRequestError(first_message(diagnostics));
  }
  for (const NodePtr& made : nodes) {
    if (const std::string_view type = made->type->name;
        type == "WorldInfo" || type == "Viewpoint") {
      throw SupervisorRequestError(
          fmt::format("a world has one {}, which stands in its file.", type));
    }
    check_accepted(request, *made);
  }
  for (const Diagnostic& d : diagnostics.list()) {
    text_ += (text_.empty() ? "" : "\n") + to_string(d);
  }
  read_.last_id = world.last_id;
  read_.externs = std::move(world.externs);
  return nodes;
}

// For a parameter of a PROTO, by all fields that it is for.
void SupervisorServer::check_accepted(const SupervisorRequest& request,
                                      const wbt::Node& made) const {
  const std::string_view name = made.proto_name.empty() ? made.type->name : made.proto_name;
  if (request.node == 0) {
    if (!wbt::accepts({}, *made.type)) {
      throw SupervisorRequestError(
          fmt::format("cannot insert a {} node on the top level of the world.", name));
    }
    return;
  }
  const wbt::Node& owner = node(request);
  for (const wbt::Connection& c : wbt::targets_of(owner, key_of(request)).fields) {
    const wbt::TreeEntry* target = tree_.find(c.node);
    if (target != nullptr &&
        !wbt::accepts({target->node->type, c.field->name, target->collides}, *made.type)) {
      throw SupervisorRequestError(fmt::format(
          "cannot insert a {} node in the '{}' field of a {} node.", name, view(request).name,
          owner.proto_name.empty() ? owner.type->name : std::string_view(owner.proto_name)));
    }
  }
}

void SupervisorServer::remove_item(const SupervisorRequest& request) {
  if (request.node == 0) {
    const auto& nodes = tree_.file()->nodes;
    SupervisorRequest gone = request;
    gone.node =
        static_cast<std::int32_t>(nodes[checked_index(request.index, nodes.size(), false)]->id);
    check_removable(entry(gone));
    return remove_from_top(static_cast<Id>(gone.node));
  }
  writes_live(request);
  const FieldView field = view(request);
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  edit.how = Change::Remove;
  edit.index = request.index;
  if (const auto* slot = std::get_if<NodePtr>(field.value)) {
    if (*slot == nullptr) {
      throw SupervisorRequestError("called with an empty field.");
    }
    edit.whole = true;
    edit.value = NodePtr{};
  } else {
    Value now = *field.value;
    change_item(now, Change::Remove, request.index, {});
    if (const auto* list = std::get_if<std::vector<NodePtr>>(field.value)) {
      edit.gone = (*list)[checked_index(request.index, list->size(), false)]->id;
    }
  }
  change(std::move(edit));
}

// A node that stands in several places leaves the first of them, where its DEF is; the next one is
// the DEF then.
void SupervisorServer::remove(const SupervisorRequest& request) {
  const wbt::TreeEntry& found = entry(request);
  check_removable(found);
  const Id id = found.node->id;
  if (found.parent == 0) {
    return remove_from_top(id);
  }
  const wbt::Node& owner = *tree_.find(found.parent)->node;
  for (const std::uint8_t level : {1, 0}) {
    for (const FieldKey& key : slots_of(owner, level)) {
      const Value& value = *wbt::field_view(owner, key)->value;
      const auto* slot = std::get_if<NodePtr>(&value);
      const auto* list = std::get_if<std::vector<NodePtr>>(&value);
      FieldEdit edit{owner.id, key};
      edit.how = Change::Remove;
      if (slot != nullptr && *slot && (*slot)->id == id) {
        edit.whole = true;
        edit.value = NodePtr{};
        return change(std::move(edit));
      }
      if (list != nullptr && place_of(*list, id) < list->size()) {
        edit.index = static_cast<std::int32_t>(place_of(*list, id));
        edit.gone = id;
        return change(std::move(edit));
      }
    }
  }
}

void SupervisorServer::remove_from_top(Id id) {
  wbt::Edits edits;
  edits.removed.push_back(id);
  commit(edits, is_made_of(*tree_.find(id)->node));
}

}  // namespace servosim
