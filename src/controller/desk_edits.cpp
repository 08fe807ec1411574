// SPDX-License-Identifier: Apache-2.0
// SupervisorDesk: changes of fields.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "controller/field_values.h"
#include "controller/supervisor_desk.h"
#include "core/lent.h"
#include "core/name_list.h"
#include "scene/coupled_motors.h"
#include "scene/scene.h"
#include "scene/substitutes.h"
#include "servosim/diagnostics.h"
#include "sim/node_states.h"
#include "wbt/tree_parameters.h"
#include "wbt/tree_reading.h"
#include "wbt/values.h"

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

// Does it to the field as it is now, which somebody else may have changed since. @throws AskError
// if its item is no longer there
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

void SupervisorDesk::change(FieldEdit edit) {
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
void SupervisorDesk::impose(Id id) {
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
void SupervisorDesk::put(Id id, std::string_view name, double value, wbt::Edits& edits) {
  const wbt::Node& node = *tree_.find(id)->node;
  const double before = node.number(name);
  if (same_limit(value, before) || !std::isfinite(value)) {
    return;
  }
  text_ += fmt::format(
      "{}warning: {} of \"{}\" becomes {} instead of {} to fit the motor it is "
      "coupled to.",
      text_.empty() ? "" : "\n", name, node.string("name"), value, before);
  told_.text = text_;
  const wbt::FieldType* row = node.type->field(name, node.version);
  edits.change(id, [row, value](wbt::Node& n) { wbt::set_value(n, *row, value); });
  note_parameters(id, *row, value, edits);
}

// Of a derived PROTO, and of instances in the body, the parameters between this one and the field.
void SupervisorDesk::change_parameters(const FieldEdit& edit, const FieldView& field,
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
void SupervisorDesk::check(const wbt::Node& node, const wbt::FieldType& field, Value& value) {
  std::string said;
  value = checked_on_edit(node, field, std::move(value), said);
  if (!said.empty()) {
    text_ += fmt::format("{}warning: {}.", text_.empty() ? "" : "\n", said);
    told_.text = text_;
  }
}

// When the tree moves something, what it says of other places must be of now.
void SupervisorDesk::keep_place(const wbt::Node& node, std::string_view field, wbt::Edits& edits) {
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
void SupervisorDesk::keep_places_below(Id id, wbt::Edits& edits) {
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
wbt::WorldFile SupervisorDesk::world_to_read_for() const {
  wbt::WorldFile world = *tree_.file();
  world.last_id = std::max(world.last_id, simulation_.node_states().last_id);
  return world;
}

// A template looks at the parameter.
void SupervisorDesk::make_again(const FieldEdit& edit) {
  const wbt::Node& node = *tree_.find(edit.node)->node;
  wbt::WorldFile world = world_to_read_for();
  wbt::Edits edits = std::exchange(read_, {});
  world.last_id = std::max(world.last_id, edits.last_id);
  auto given = node.instance->given;
  Value value = node.instance->value(edit.key.number);
  perform(edit, value);
  given[edit.key.number] = std::move(value);
  Diagnostics diagnostics;
  const Lent lent(simulation_.sources(), diagnostics.sources());
  wbt::NodePtr made = wbt::instantiate_again(world, node, std::move(given), diagnostics);
  if (!made || diagnostics.errors() > 0) {
    throw AskError(
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

}  // namespace servosim
