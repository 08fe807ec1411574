// SPDX-License-Identifier: Apache-2.0
// SupervisorDesk: fields.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "controller/field_values.h"
#include "controller/supervisor_desk.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/tree_reading.h"
#include "wbt/values.h"

namespace servosim {
namespace {

using wbt::FieldKey;
using wbt::FieldView;
using wbt::Value;
using wbt::ValueType;

constexpr std::string_view kReadOnly = "called on a read-only PROTO internal field.";

FieldKey key_of(const Ask& ask) { return {ask.level, ask.field}; }

FieldView children_of_root(const std::vector<wbt::NodePtr>& nodes, Value& holder) {
  holder = nodes;
  return {"children", ValueType::MFNode, &holder};
}

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.list().empty() ? "the text holds no node."
                                    : to_string(diagnostics.list().front());
}

}  // namespace

FieldView SupervisorDesk::view(const Ask& ask) const {
  const auto found = wbt::field_view(node(ask), key_of(ask));
  if (!found) {
    throw AskError("called with an invalid 'field' argument.");
  }
  return *found;
}

void SupervisorDesk::find_field(const Ask& ask) {
  told_.integer = -1;
  if (ask.node == 0) {
    const bool is_it = ask.kind == AskKind::NthField ? ask.index == 0 : ask.text == "children";
    told_.integer = ask.kind == AskKind::CountFields ? 1 : is_it ? 0 : -1;
    told_.text = "children";
    told_.type = field_type_number(ValueType::MFNode);
    return;
  }
  const wbt::TreeEntry& found = entry(ask);
  std::optional<FieldKey> key;
  if (ask.kind == AskKind::FindField) {
    key = wbt::find_field(*found.node, ask.level, ask.text);
  } else {
    const std::vector<FieldKey> keys = wbt::field_keys(*found.node, ask.level);
    if (ask.kind == AskKind::CountFields) {
      told_.integer = static_cast<std::int32_t>(keys.size());
      return;
    }
    if (ask.index >= 0 && static_cast<std::size_t>(ask.index) < keys.size()) {
      key = keys[static_cast<std::size_t>(ask.index)];
    }
  }
  if (key) {
    const FieldView field = *wbt::field_view(*found.node, *key);
    const bool of_body = ask.level == 0 && found.node->instance != nullptr;
    told_.integer = key->number;
    told_.type = field_type_number(field.type);
    told_.flags = found.internal || of_body || ask.level > 1 ? kIsInternal : 0;
    told_.text = field.name;
  }
}

// Of a field in the body of a PROTO: the parameter that it IS.
void SupervisorDesk::actual_field(const Ask& ask) {
  told_.node = ask.node;
  told_.level = ask.level;
  told_.integer = ask.field;
  if (ask.node == 0 || ask.level != 0) {
    return;
  }
  const wbt::Node& inside = node(ask);
  if (ask.field >= inside.type->fields.size()) {
    return;
  }
  const std::string_view name = inside.type->fields[ask.field]->name;
  for (Id id = inside.id; id != 0; id = tree_.find(id)->parent) {
    const wbt::ProtoInstance* instance = tree_.find(id)->node->instance.get();
    if (instance == nullptr || tree_.find(id)->internal) {
      continue;
    }
    for (const wbt::Connection& c : instance->connections) {
      if (c.node == inside.id && c.field != nullptr && c.field->name == name) {
        told_.node = static_cast<std::int32_t>(id);
        told_.level = 1;
        told_.integer = static_cast<std::int32_t>(c.parameter);
        return;
      }
    }
  }
}

// The present value, where the simulation has it: of the field, or of the one a parameter is for.
std::optional<Value> SupervisorDesk::live_value(const wbt::Node& node, FieldKey key) {
  const wbt::Node* owner = &node;
  const wbt::FieldType* field = key.level == 0 ? node.type->fields[key.number] : nullptr;
  if (key.level > 0) {
    for (const wbt::Connection& c : wbt::instance_at(node, key.level)->connections) {
      if (c.parameter == key.number && c.field != nullptr) {
        const wbt::TreeEntry* target = tree_.find(c.node);
        owner = target != nullptr ? target->node : owner;
        field = target != nullptr ? c.field : nullptr;
        break;
      }
    }
  }
  if (field == nullptr || !LiveFields::may_be_live(field->name)) {
    return std::nullopt;
  }
  if (!waiting_.empty()) {
    const Id id = node.id;
    settle();
    const wbt::TreeEntry* again = tree_.find(id);
    return again != nullptr ? live_value(*again->node, key) : std::nullopt;
  }
  return live_.read(tree_, *owner, field->name);
}

void SupervisorDesk::count_items(const Ask& ask) {
  if (ask.node == 0) {
    told_.integer = static_cast<std::int32_t>(tree_.file()->nodes.size());
    return;
  }
  told_.integer = item_count(*view(ask).value);
}

void SupervisorDesk::get(const Ask& ask) {
  Value children;
  FieldView field;
  if (ask.node == 0) {
    field = children_of_root(tree_.file()->nodes, children);
  } else {
    field = view(ask);
    if (auto live = live_value(node(ask), key_of(ask))) {
      value_ = std::move(*live);
      field.value = &value_;
    } else {
      field = view(ask);
    }
  }
  check_type(field.type, ask.type);
  told_.type = ask.type;
  read_item(*field.value, ask.index, told_, numbers_);
}

void SupervisorDesk::set(const Ask& ask) {
  if (ask.node == 0) {
    throw AskError("nodes come in by wb_supervisor_field_import_mf_node_from_string() only.");
  }
  if (writes_live(ask)) {
    settle();
  }
  const FieldView field = view(ask);
  check_type(field.type, ask.type);
  Value value = *field.value;
  if (auto live = live_value(node(ask), key_of(ask))) {
    value = std::move(*live);
  }
  change_item(value, ask.kind == AskKind::Insert ? Change::Insert : Change::Set, ask.index,
              item_of(field.type, ask));
  change({static_cast<Id>(ask.node), key_of(ask), std::move(value)});
}

// Whether the simulation has the value. @throws AskError for a field that can only be read
bool SupervisorDesk::writes_live(const Ask& ask) const {
  const wbt::TreeEntry& found = entry(ask);
  view(ask);
  if (found.internal || ask.level > 1 || (ask.level == 0 && found.node->instance != nullptr)) {
    throw AskError(std::string(kReadOnly));
  }
  const auto targets = wbt::targets_of(*found.node, key_of(ask)).fields;
  return std::any_of(targets.begin(), targets.end(), [](const wbt::Connection& c) {
    return LiveFields::may_be_live(c.field->name);
  });
}

void SupervisorDesk::remove_item(const Ask& ask) {
  if (ask.node == 0) {
    const auto& nodes = tree_.file()->nodes;
    const std::size_t index = checked_index(ask.index, nodes.size(), false);
    Ask gone = ask;
    gone.node = static_cast<std::int32_t>(nodes[index]->id);
    return remove(gone);
  }
  writes_live(ask);
  const FieldView field = view(ask);
  Value value = *field.value;
  if (field.type == ValueType::SFNode) {
    if (std::get<wbt::NodePtr>(value) == nullptr) {
      throw AskError("called with an empty field.");
    }
    value = wbt::NodePtr{};
  } else {
    change_item(value, Change::Remove, ask.index, {});
  }
  change({static_cast<Id>(ask.node), key_of(ask), std::move(value)});
}

void SupervisorDesk::import(const Ask& ask) {
  if (ask.text.size() > kMaxImport) {
    throw AskError("the text is too long.");
  }
  Value value;
  if (ask.node == 0) {
    value = tree_.file()->nodes;
  } else {
    writes_live(ask);
    const FieldView field = view(ask);
    if (!wbt::holds_nodes(field.type)) {
      throw AskError(fmt::format("called with a wrong field type: {} holds no nodes.",
                                 wbt::to_string(field.type)));
    }
    value = *field.value;
    if (const auto* there = std::get_if<wbt::NodePtr>(&value); there != nullptr && *there) {
      throw AskError("called with a non-empty field: remove its node first.");
    }
  }
  if (const auto* list = std::get_if<std::vector<wbt::NodePtr>>(&value)) {
    checked_index(ask.index, list->size(), true);  // before anything is read
  }
  wbt::WorldFile world = world_to_read_for();
  Diagnostics diagnostics;
  const auto nodes = wbt::read_nodes(world, std::string(ask.text), diagnostics);
  if (diagnostics.errors() > 0 || nodes.empty()) {
    throw AskError(first_message(diagnostics));
  }
  if (nodes.size() > 1) {
    throw AskError("the text holds more than one node.");
  }
  if (const std::string_view type = nodes.front()->type->name;
      type == "WorldInfo" || type == "Viewpoint") {
    throw AskError(fmt::format("a world has one {}, which stands in its file.", type));
  }
  for (const Diagnostic& d : diagnostics.list()) {
    text_ += (text_.empty() ? "" : "\n") + to_string(d);
  }
  told_.text = text_;
  if (ask.node == 0) {
    wbt::Edits edits;
    edits.inserted.emplace_back(checked_index(ask.index, world.nodes.size(), true), nodes.front());
    return commit(edits, world.last_id, is_made_of({}, {nodes.front()}));
  }
  change_item(value, std::holds_alternative<wbt::NodePtr>(value) ? Change::Set : Change::Insert,
              ask.index, nodes.front());
  last_id_ = world.last_id;
  change({static_cast<Id>(ask.node), key_of(ask), std::move(value)});
}

void SupervisorDesk::change(FieldEdit edit) {
  const wbt::Node& node = *tree_.find(edit.node)->node;
  const wbt::Targets targets = wbt::targets_of(node, edit.key);
  if (targets.again) {
    return make_again(edit);
  }
  const FieldView field = *wbt::field_view(node, edit.key);
  wbt::Edits edits;
  bool effect = false;
  bool only_live = !targets.fields.empty();
  for (const wbt::Connection& c : targets.fields) {
    const wbt::TreeEntry* target = tree_.find(c.node);
    auto value = wbt::converted(edit.value, field.type, c.field->type);
    if (target == nullptr || !value) {
      continue;
    }
    if (LiveFields::may_be_live(c.field->name) &&
        live_.write(tree_, *target->node, c.field->name, *value)) {
      continue;
    }
    only_live = false;
    keep_place(*target->node, c.field->name, edits);
    if (c.field->name.starts_with("jointParameters")) {
      place_endpoint(*target->node, *c.field, *value, edits);
    }
    effect = effect || has_effect(*target, *c.field, *value);
    edits.change(c.node, [row = c.field, value = std::move(*value)](wbt::Node& n) {
      wbt::set_value(n, *row, value);
    });
  }
  if (edit.key.level == 1 && !only_live) {
    edits.change(edit.node, [number = edit.key.number, value = edit.value](wbt::Node& n) {
      wbt::set_parameter(n, number, value);
    });
  }
  // Numbers of nodes that were read are used up.
  const std::uint32_t last_id = std::exchange(last_id_, 0);
  last_id > 0 ? commit(edits, last_id, effect) : commit(edits, effect);
}

// When the tree moves something, what it says of other places must be of now.
void SupervisorDesk::keep_place(const wbt::Node& node, std::string_view field, wbt::Edits& edits) {
  const bool is_place = field == "translation" || field == "rotation" || field == "scale";
  if (is_place && node.type->is_solid) {
    note_live(node.id, field == "translation" ? "rotation" : "translation", edits);
  } else if (is_place) {
    keep_places_below(node.id, edits);
  } else if (field == "anchor" || field == "axis") {
    for (const int joint : live_.joints(tree_, node.id)) {
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
  world.last_id = std::max(world.last_id, highest_id_);
  return world;
}

// A template looks at the parameter.
void SupervisorDesk::make_again(const FieldEdit& edit) {
  const wbt::Node& node = *tree_.find(edit.node)->node;
  wbt::WorldFile world = world_to_read_for();
  world.last_id = std::max(world.last_id, std::exchange(last_id_, 0));
  auto given = node.instance->given;
  given[edit.key.number] = edit.value;
  Diagnostics diagnostics;
  wbt::NodePtr made = wbt::instantiate_again(world, node, std::move(given), diagnostics);
  if (!made || diagnostics.errors() > 0) {
    throw AskError(
        fmt::format("the PROTO cannot be made with this value: {}", first_message(diagnostics)));
  }
  wbt::Edits edits;
  edits.replaced[edit.node] = made;
  commit(edits, world.last_id, is_made_of(node) || is_made_of({}, {made}));
}

}  // namespace servosim
