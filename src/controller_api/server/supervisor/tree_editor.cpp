// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/tree_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/scoped.h"
#include "base/text.h"
#include "scene/checks.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "servosim/diagnostics.h"
#include "sim/node_states.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/schema/accepted_nodes.h"
#include "wbt/values.h"

namespace servosim {

using wbt::EditEffect;
using wbt::FieldKey;
using wbt::FieldView;
using wbt::Node;
using wbt::NodeKind;
using wbt::NodePtr;
using wbt::Value;

namespace {

constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();
// The first error of a text that could not be read.
std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.errors() > 0     ? LoadError(diagnostics.list()).what()
         : diagnostics.list().empty() ? "the text holds no node."
                                      : to_string(diagnostics.list().front());
}

// The fields of a level that hold nodes, with the values that the tree has.
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
  } else if (node.proto.instance != nullptr) {
    const auto& fields = node.proto.instance->interface->fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      add(i, fields[i].type);
    }
  }
  return keys;
}

// Adds an edit of the field or parameter `key` of a node.
void add(const FieldEdit& edit, std::uint32_t node, FieldKey key, wbt::Edits& edits) {
  if (auto nodes = edit.change_of_nodes(node, key)) {
    edits.node_lists.push_back(std::move(*nodes));
    return;
  }
  const auto apply = [edit, key](Node& n) {
    Value value = *wbt::field_view(n, key)->value;
    edit.apply_to(value);
    if (key.level > 0) {
      wbt::set_parameter(n, key.number, std::move(value), key.level);
    } else {
      wbt::set_value(n, *n.type->fields[key.number], std::move(value));
    }
  };
  if (std::holds_alternative<std::vector<NodePtr>>(edit.value)) {
    edits.change(node, apply);
  } else {
    edits.change_value(node, apply);
  }
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

TreeEditor::TreeEditor(Simulation& simulation, LiveFields& live)
    : simulation_(simulation),
      live_(live),
      base_(WorldInspector(simulation).world_file()),
      tree_(base_) {}

const wbt::TreeEntry& TreeEditor::entry(const SupervisorRequest& request) const {
  const wbt::TreeEntry* found =
      request.node > 0 ? tree_.find(static_cast<Id>(request.node)) : nullptr;
  if (found == nullptr) {
    throw SupervisorRequestError(request.node == 0
                                     ? "called for the root node, which has none of this."
                                     : "called with an invalid 'node' argument: it was removed.");
  }
  return *found;
}

FieldView TreeEditor::view(const SupervisorRequest& request) const {
  const auto found = wbt::field_view(node(request), key_of(request));
  if (!found) {
    throw SupervisorRequestError("called with an invalid 'field' argument.");
  }
  return *found;
}

std::optional<Value> TreeEditor::live_value(const Node& node, FieldKey key) {
  const Node* owner = &node;
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
  if (field == nullptr || !LiveFields::may_be_live(*field)) {
    return std::nullopt;
  }
  if (!pending_.empty()) {
    const Id id = node.id;
    settle();
    const wbt::TreeEntry* again = tree_.find(id);
    return again != nullptr ? live_value(*again->node, key) : std::nullopt;
  }
  auto value = live_.read(tree_, *owner, *field);
  const FieldView asked = *wbt::field_view(node, key);  // a parameter may have another type
  return value && asked.type != field->type ? wbt::converted(*value, field->type, asked.type)
                                            : value;
}

// Transactions.

void TreeEditor::follow_simulation() {
  if (WorldInspector(simulation_).world_file() == base_) {
    return;
  }
  base_ = WorldInspector(simulation_).world_file();
  tree_.set_file(base_);
  const auto fails = [this](const PendingEdits& pending) {
    try {
      tree_.apply(pending.edits);
      return false;
    } catch (const std::exception& error) {
      dropped_ = fmt::format("a change is lost, as another one came first: {}", error.what());
      return true;
    }
  };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), fails), pending_.end());
}

void TreeEditor::commit(wbt::Edits edits, bool has_effect, std::vector<Setting> settings) {
  const bool reads_nodes = edits.last_id > 0;
  if (edits.empty() && !reads_nodes) {
    return;
  }
  SERVOSIM_ASSERT(WorldInspector(simulation_).world_file() == base_,
                  "the tree has changed since the request began");
  if (pending_.empty()) {
    known_id_ = std::max(WorldControl(simulation_).node_states().last_id(), base_->last_id);
  }
  if (reads_nodes) {
    NodeStates& states = WorldControl(simulation_).node_states();
    edits.last_id = std::max({edits.last_id, states.last_id(), base_->last_id});
    states.reserve_ids(edits.last_id);
  }
  if (!has_effect && pending_.empty()) {
    tree_.apply(edits, 2);  // base_ and the simulation follow
    base_ = tree_.file();
    return WorldControl(simulation_).replace_world_file(base_);
  }
  pending_.emplace_back();  // reserved first, so that what is applied is also kept
  try {
    tree_.apply(edits);
  } catch (...) {
    pending_.pop_back();
    throw;
  }
  pending_.back() = {std::move(edits), std::move(settings)};
}

void TreeEditor::settle() {
  follow_simulation();
  while (!pending_.empty()) {
    rebuild();
    set_late();
  }
  if (!dropped_.empty()) {
    throw SupervisorRequestError(std::exchange(dropped_, {}));
  }
  SERVOSIM_ASSERT(tree_.file() == base_ && base_ == WorldInspector(simulation_).world_file(),
                  "the trees differ after {} edits", pending_.size());
}

// Handles a request about a node that comes with the next rebuild. What the simulation holds of it
// is set after the rebuild, so that setting it needs no rebuild of its own. @returns false for
// other requests
bool TreeEditor::set_later(const SupervisorRequest& request) {
  // What is farther away may be refused, which must be reported at once.
  constexpr double kNear = 1e6;
  const auto targets = wbt::targets_of(node(request), key_of(request)).fields;
  const bool may_wait =
      request.kind == SupervisorRequestKind::Set && is_pending(static_cast<Id>(request.node)) &&
      std::all_of(targets.begin(), targets.end(),
                  [](const wbt::Connection& c) {
                    return c.field->edit == EditEffect::Live || c.field->edit == EditEffect::Place;
                  }) &&
      std::all_of(request.numbers.begin(), request.numbers.begin() + request.count,
                  [](double number) { return std::abs(number) < kNear; });
  const FieldView field = view(request);
  if (!may_wait || item_count(*field.value) >= 0) {
    return false;
  }
  check_type(field.type, request.type);
  check_value(field.type, item_of(field.type, request));
  late_.push_back(request);
  late_.back().text = late_.back().more = {};
  return true;
}

void TreeEditor::set_late() {
  OwnedResponse ignored;  // the values have been checked
  for (const SupervisorRequest& request : std::exchange(late_, {})) {
    if (tree_.find(static_cast<Id>(request.node)) != nullptr) {
      set(request, ignored);
    }
  }
}

void TreeEditor::rebuild() {
  const std::vector<PendingEdits> done = std::exchange(pending_, {});
  try {
    WorldControl(simulation_).rebuild(tree_.file());
    base_ = WorldInspector(simulation_).world_file();
    if (base_ != tree_.file()) {
      tree_.set_file(base_);
    }
    for (const PendingEdits& pending : done) {
      for (const Setting& setting : pending.settings) {
        write_setting(simulation_, tree_, setting);
      }
    }
  } catch (const LoadError& error) {
    late_.clear();
    tree_.set_file(base_);
    throw SupervisorRequestError(fmt::format(
        "the world cannot be simulated with the changes since the last step; they are undone: {}",
        error.what()));
  } catch (...) {
    late_.clear();
    tree_.set_file(base_);
    throw;
  }
}

// No number is used twice, since controllers store references by number. After a reset some numbers
// that were in use are no longer in the tree.
wbt::WorldFile TreeEditor::heading_with_all_numbers() const {
  wbt::WorldFile world = tree_.heading();
  world.last_id = std::max(world.last_id, WorldControl(simulation_).node_states().last_id());
  return world;
}

// Requests.

void TreeEditor::answer(const SupervisorRequest& request, OwnedResponse& response) {
  switch (request.kind) {
    case SupervisorRequestKind::RemoveItem:
      return remove_item(request, response);
    case SupervisorRequestKind::Import:
      return import_nodes(request, response);
    case SupervisorRequestKind::Remove:
      return remove(request, response);
    default:
      SERVOSIM_ASSERT(request.kind == SupervisorRequestKind::Set ||
                          request.kind == SupervisorRequestKind::Insert,
                      "request {} edits nothing", static_cast<int>(request.kind));
      return set(request, response);
  }
}

void TreeEditor::set(const SupervisorRequest& request, OwnedResponse& response) {
  if (request.node == 0) {
    throw SupervisorRequestError(
        "nodes come in by wb_supervisor_field_import_mf_node_from_string() only.");
  }
  if (checked_writable(request)) {
    if (set_later(request)) {
      return;
    }
    settle();
  }
  const FieldView field = view(request);
  check_type(field.type, request.type);
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  edit.change = request.kind == SupervisorRequestKind::Insert ? Change::Insert : Change::Set;
  edit.index = request.index;
  edit.value = item_of(field.type, request);
  const auto live = live_value(node(request), key_of(request));
  Value now = live ? *live : *field.value;
  const bool at_end = edit.change == Change::Insert && request.index == item_count(now);
  change_item(now, edit.change, edit.index, edit.value);
  edit.index = at_end ? -1 : request.index;
  if (live || item_count(now) < 0) {
    edit.set_whole(std::move(now));
  }
  change(std::move(edit), response);
}

void TreeEditor::set_whole(Id id, FieldKey key, Value value, OwnedResponse& response) {
  SupervisorRequest request;
  request.node = static_cast<std::int32_t>(id);
  request.level = key.level;
  request.field = key.number;
  if (may_be_live(request)) {
    settle();
  }
  const FieldView field = view(request);
  if (field.value->index() != value.index()) {
    throw SupervisorRequestError(fmt::format("called with a wrong field type: '{}' is {}.",
                                             field.name, wbt::to_string(field.type)));
  }
  check_value(field.type, value);
  FieldEdit edit{id, key};
  edit.set_whole(std::move(value));
  change(std::move(edit), response);
}

// Whether the simulation holds the value. @throws SupervisorRequestError for a field that can only
// be read
bool TreeEditor::checked_writable(const SupervisorRequest& request) const {
  const wbt::TreeEntry& found = entry(request);
  view(request);
  if (found.internal || request.level > 1 ||
      (request.level == 0 && found.node->proto.instance != nullptr)) {
    throw SupervisorRequestError("called on a read-only PROTO internal field.");
  }
  return may_be_live(request);
}

bool TreeEditor::may_be_live(const SupervisorRequest& request) const {
  const auto targets = wbt::targets_of(*entry(request).node, key_of(request)).fields;
  return std::any_of(targets.begin(), targets.end(),
                     [](const wbt::Connection& c) { return LiveFields::may_be_live(*c.field); });
}

void TreeEditor::import_nodes(const SupervisorRequest& request, OwnedResponse& response) {
  if (request.text.size() > kMaxImport) {
    throw SupervisorRequestError("the text is too long.");
  }
  const std::vector<NodePtr>* list = &tree_.file()->nodes;
  if (request.node != 0) {
    checked_writable(request);
    const FieldView field = view(request);
    if (!wbt::holds_nodes(field.type)) {
      throw SupervisorRequestError(fmt::format("called with a wrong field type: {} holds no nodes.",
                                               wbt::to_string(field.type)));
    }
    if (const auto* there = std::get_if<NodePtr>(field.value); there != nullptr && *there) {
      throw SupervisorRequestError("called with a non-empty field: remove its node first.");
    }
    list = std::get_if<std::vector<NodePtr>>(field.value);
  }
  const std::size_t count = list != nullptr ? list->size() : 0;
  const std::size_t at = list != nullptr ? checked_index(request.index, count, true) : 0;
  wbt::Edits arrivals;
  const std::vector<NodePtr> made = read_nodes(request, arrivals, response);
  if (list == nullptr && made.size() > 1) {
    throw SupervisorRequestError("the text holds more than one node, the field one.");
  }
  arrivals.imported = made;
  if (request.node == 0) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      // An insertion at the end stays at the end, also if others insert before the rebuild.
      arrivals.inserted.emplace_back(at == count ? kEnd : at + i, made[i]);
    }
    return commit(std::move(arrivals), simulated().is_simulated(made));
  }
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  if (list == nullptr) {
    edit.set_whole(made.front());
  } else {
    edit.change = Change::Insert;
    edit.index = at == count ? -1 : static_cast<std::int32_t>(at);
    edit.value = made;
  }
  change(std::move(edit), response, std::move(arrivals));
}

// The nodes of the text, if they are accepted there. Messages go to the response, numbers and
// EXTERNPROTO lines to `arrivals`.
std::vector<wbt::NodePtr> TreeEditor::read_nodes(const SupervisorRequest& request,
                                                 wbt::Edits& arrivals, OwnedResponse& response) {
  wbt::WorldFile world = heading_with_all_numbers();
  Diagnostics diagnostics;
  const auto lent = WorldControl(simulation_).lend_sources(diagnostics);
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
    const bool is_minor = d.only_looks || d.severity == Severity::Info;
    if (!is_minor || told_.insert(d.message).second) {
      response.add_line(to_string(d));
    }
    WorldControl(simulation_).keep_missing(d);
  }
  arrivals.last_id = world.last_id;
  if (world.externs.size() > tree_.file()->externs.size()) {
    arrivals.externs = std::move(world.externs);
  }
  return nodes;
}

// A parameter of a PROTO accepts what all fields accept that have its value.
void TreeEditor::check_accepted(const SupervisorRequest& request, const Node& made) const {
  const std::string_view name = made.proto.name.empty() ? made.type->name : made.proto.name;
  if (request.node == 0) {
    if (!wbt::accepts({}, *made.type)) {
      throw SupervisorRequestError(
          fmt::format("cannot insert a {} node on the top level of the world.", name));
    }
    return;
  }
  const Node& owner = node(request);
  for (const wbt::Connection& c : wbt::targets_of(owner, key_of(request)).fields) {
    const wbt::TreeEntry* target = tree_.find(c.node);
    if (target != nullptr &&
        !wbt::accepts({target->node->type, c.field->name, target->collides}, *made.type)) {
      throw SupervisorRequestError(fmt::format(
          "cannot insert a {} node in the '{}' field of a {} node.", name, view(request).name,
          owner.proto.name.empty() ? owner.type->name : std::string_view(owner.proto.name)));
    }
    if (target != nullptr && target->node->type->name == "Slot" && made.type->name == "Slot" &&
        !wbt::slot_types_match(target->node->string("type"), made.string("type"))) {
      throw SupervisorRequestError(
          fmt::format("a Slot of type '{}' does not fit into one of type '{}'.",
                      made.string("type"), target->node->string("type")));
    }
  }
}

void TreeEditor::remove_item(const SupervisorRequest& request, OwnedResponse& response) {
  if (request.node == 0) {
    const auto& nodes = tree_.file()->nodes;
    SupervisorRequest of_item = request;
    of_item.node =
        static_cast<std::int32_t>(nodes[checked_index(request.index, nodes.size(), false)]->id);
    check_removable(entry(of_item));
    return remove_from_top(static_cast<Id>(of_item.node));
  }
  checked_writable(request);
  const FieldView field = view(request);
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  edit.change = Change::Remove;
  edit.index = request.index;
  if (const auto* slot = std::get_if<NodePtr>(field.value)) {
    if (*slot == nullptr) {
      throw SupervisorRequestError("called with an empty field.");
    }
    edit.set_whole(NodePtr{});
  } else {
    const auto* const list = std::get_if<std::vector<NodePtr>>(field.value);
    if (list != nullptr) {
      edit.removed_node = (*list)[checked_index(request.index, list->size(), false)]->id;
    } else {
      Value now = *field.value;
      change_item(now, Change::Remove, request.index, {});
    }
  }
  change(std::move(edit), response);
}

// A node that is in several places by USE is removed from the first of them, where its DEF is. The
// next place then has the DEF.
void TreeEditor::remove(const SupervisorRequest& request, OwnedResponse& response) {
  const wbt::TreeEntry& found = entry(request);
  check_removable(found);
  const Id id = found.node->id;
  if (found.parent == 0) {
    return remove_from_top(id);
  }
  const Node& owner = *tree_.find(found.parent)->node;
  for (const std::uint8_t level : {1, 0}) {
    for (const FieldKey& key : slots_of(owner, level)) {
      const Value& value = *wbt::field_view(owner, key)->value;
      const auto* slot = std::get_if<NodePtr>(&value);
      const auto* list = std::get_if<std::vector<NodePtr>>(&value);
      FieldEdit edit{owner.id, key};
      edit.change = Change::Remove;
      if (slot != nullptr && *slot && (*slot)->id == id) {
        edit.set_whole(NodePtr{});
        return change(std::move(edit), response);
      }
      if (const std::size_t at = list != nullptr ? index_of(*list, *found.node) : 0;
          list != nullptr && at < list->size()) {
        edit.index = static_cast<std::int32_t>(at);
        edit.removed_node = id;
        return change(std::move(edit), response);
      }
    }
  }
}

void TreeEditor::remove_from_top(Id id) {
  wbt::Edits edits;
  edits.removed.push_back(id);
  commit(edits, simulated().is_simulated(*tree_.find(id)->node));
}

// Edits of fields, and their consequences.

void TreeEditor::change(FieldEdit edit, OwnedResponse& response, wbt::Edits arrivals) {
  const Node& node = *tree_.find(edit.node)->node;
  const wbt::Targets targets = wbt::targets_of(node, edit.key);
  if (targets.needs_new_instance) {
    return reinstantiate(edit, std::move(arrivals));
  }
  const FieldView field = *wbt::field_view(node, edit.key);
  wbt::Edits edits = std::move(arrivals);
  std::vector<Setting> settings;
  bool effect = false;
  bool only_live = !targets.fields.empty();
  for (const wbt::Connection& c : targets.fields) {
    const wbt::TreeEntry* target = tree_.find(c.node);
    auto fitting = edit.converted(field, c.field->type);
    if (target == nullptr || !fitting) {
      continue;
    }
    if (fitting->whole && LiveFields::may_be_live(*c.field) &&
        live_.write(tree_, *target->node, *c.field, fitting->value)) {
      continue;
    }
    only_live = false;
    keep_places(*target->node, *c.field, edits);
    if (fitting->whole) {
      std::string warning;
      fitting->value = checked_on_edit(*target->node, *c.field, std::move(fitting->value), warning);
      if (!warning.empty()) {
        response.add_line(fmt::format("warning: {}.", warning));
      }
      if (edit.value.index() == fitting->value.index()) {
        edit.value = fitting->value;
      }
      if (c.field->edit == EditEffect::Setting) {
        settings.push_back({c.node, c.field->name});
      }
    }
    if (c.field->edit == EditEffect::JointParameters) {
      place_endpoint(*target->node, *c.field, fitting->value, edits);
    }
    effect = effect || simulated().has_effect(*target, *c.field, *fitting);
    add(*fitting, c.node, *wbt::find_field(*target->node, 0, c.field->name), edits);
    change_parameters(edit, field, c, edits);
  }
  if (edit.key.level == 1 && !only_live) {
    add(edit, edit.node, edit.key, edits);
  }
  commit(std::move(edits), effect, std::move(settings));
  for (const wbt::Connection& c : targets.fields) {
    if (c.field->edit == EditEffect::CoupledLimit || c.field->edit == EditEffect::PositionLimit) {
      update_coupled_motors(c.node, response);
    }
  }
}

// Changes the parameters between this one and the field: those of derived PROTOs, and of instances
// in the body.
void TreeEditor::change_parameters(const FieldEdit& edit, const FieldView& field,
                                   const wbt::Connection& target, wbt::Edits& edits) const {
  for (const wbt::ParameterPlace& p : wbt::parameters_of(tree_, target.node, *target.field)) {
    auto fitting = edit.converted(field, p.type);
    if (!fitting || (p.node == edit.node && p.level <= edit.key.level)) {
      continue;
    }
    add(*fitting, p.node,
        {static_cast<std::uint8_t>(p.level), static_cast<std::uint16_t>(p.number)}, edits);
  }
}

// Handles a parameter that a template of the PROTO uses.
void TreeEditor::reinstantiate(const FieldEdit& edit, wbt::Edits edits) {
  const Node& node = *tree_.find(edit.node)->node;
  wbt::WorldFile world = heading_with_all_numbers();
  world.last_id = std::max(world.last_id, edits.last_id);
  SERVOSIM_ASSERT(node.proto.instance != nullptr, "node {} has no parameters", edit.node);
  auto given = node.proto.instance->given;
  Value value = node.proto.instance->value(edit.key.number);
  edit.apply_to(value);
  given[edit.key.number] = std::move(value);
  Diagnostics diagnostics;
  const auto lent = WorldControl(simulation_).lend_sources(diagnostics);
  NodePtr made = wbt::reinstantiate(world, node, std::move(given), diagnostics);
  if (!made || diagnostics.errors() > 0) {
    throw SupervisorRequestError(
        fmt::format("the PROTO cannot be made with this value: {}", first_message(diagnostics)));
  }
  for (const Diagnostic& d : diagnostics.list()) {
    WorldControl(simulation_).keep_missing(d);
  }
  const bool effect = simulated().is_simulated(node) || simulated().is_simulated(*made);
  edits.last_id = world.last_id;
  edits.replaced[edit.node] = made;
  std::vector<Setting> settings;
  for (const wbt::Connection& c : made->proto.instance->connections) {
    if (c.parameter == edit.key.number && c.field != nullptr &&
        c.field->edit == EditEffect::Setting) {
      settings.push_back({c.node, c.field->name});
    }
  }
  commit(std::move(edits), effect, std::move(settings));
}

}  // namespace servosim
