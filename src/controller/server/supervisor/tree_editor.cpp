// SPDX-License-Identifier: Apache-2.0
#include "controller/server/supervisor/tree_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "base/assert.h"
#include "base/scoped.h"
#include "base/text.h"
#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"
#include "servosim/diagnostics.h"
#include "sim/node_states.h"
#include "sim/simulation_core.h"
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
// The errors of a text that could not be read.
std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.errors() > 0     ? LoadError(diagnostics.list()).what()
         : diagnostics.list().empty() ? "the text holds no node."
                                      : to_string(diagnostics.list().front());
}

double multiplier_of(const wbt::Node& motor) {
  const double multiplier = motor.number("multiplier");
  return multiplier != 0.0 ? multiplier : 1.0;
}

CoupledLimits limits_of(const wbt::Node& motor) {
  return {motor.number("minPosition"), motor.number("maxPosition"),
          std::abs(motor.number("maxVelocity"))};
}

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

TreeEditor::TreeEditor(Simulation& simulation, LiveFields& live)
    : simulation_(simulation), live_(live), base_(core_of(simulation).world_file()), tree_(base_) {}

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
  const FieldView asked = *wbt::field_view(node, key);  // a parameter may be of another type
  return value && asked.type != field->type ? wbt::converted(*value, field->type, asked.type)
                                            : value;
}

// Transactions.

void TreeEditor::follow_simulation() {
  if (core_of(simulation_).world_file() == base_) {
    return;
  }
  base_ = core_of(simulation_).world_file();
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
  SERVOSIM_ASSERT(core_of(simulation_).world_file() == base_,
                  "the tree has changed since the request began");
  if (reads_nodes) {
    std::uint32_t& last = core_of(simulation_).node_states().last_id;
    last = edits.last_id = std::max({edits.last_id, last, base_->last_id});
  }
  if (!has_effect && pending_.empty()) {
    tree_.apply(edits);
    base_ = tree_.file();
    return core_of(simulation_).replace_world_file(base_);
  }
  if (reads_nodes) {
    auto reserved = std::make_shared<wbt::WorldFile>(*base_);
    reserved->last_id = edits.last_id;
    base_ = std::move(reserved);
    core_of(simulation_).replace_world_file(base_);
  }
  tree_.apply(edits);
  pending_.push_back({std::move(edits), std::move(settings)});
}

void TreeEditor::settle() {
  follow_simulation();
  if (!pending_.empty()) {
    rebuild();
  }
  if (!dropped_.empty()) {
    throw SupervisorRequestError(std::exchange(dropped_, {}));
  }
  SERVOSIM_ASSERT(tree_.file() == base_ && base_ == core_of(simulation_).world_file(),
                  "the trees differ after {} edits", pending_.size());
}

void TreeEditor::rebuild() {
  const std::vector<PendingEdits> done = std::exchange(pending_, {});
  try {
    core_of(simulation_).rebuild(tree_.file());
    base_ = core_of(simulation_).world_file();
    if (base_ != tree_.file()) {
      tree_.set_file(base_);
    }
    for (const PendingEdits& pending : done) {
      for (const Setting& setting : pending.settings) {
        write_setting(simulation_, tree_, setting);
      }
    }
  } catch (const LoadError& error) {
    tree_.set_file(base_);
    throw SupervisorRequestError(fmt::format(
        "the world cannot be simulated with the changes since the last step; they are undone: {}",
        error.what()));
  } catch (...) {
    tree_.set_file(base_);
    throw;
  }
}

// No number is used twice, since controllers store references by number; after a reset some numbers
// that were in use are no longer in the tree.
wbt::WorldFile TreeEditor::world_with_all_numbers() const {
  wbt::WorldFile world = *tree_.file();
  world.last_id = std::max(world.last_id, core_of(simulation_).node_states().last_id);
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
      (request.level == 0 && found.node->instance != nullptr)) {
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
  Value value;
  if (request.node == 0) {
    value = tree_.file()->nodes;
  } else {
    checked_writable(request);
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
  wbt::Edits arrivals;
  const std::vector<NodePtr> made = read_nodes(request, arrivals, response);
  if (list == nullptr && made.size() > 1) {
    throw SupervisorRequestError("the text holds more than one node, the field one.");
  }
  arrivals.imported = made;
  if (request.node == 0) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      // The last place is the end, also after insertions by others before the rebuild.
      arrivals.inserted.emplace_back(at == list->size() ? kEnd : at + i, made[i]);
    }
    return commit(std::move(arrivals), effects().is_simulated({}, made));
  }
  FieldEdit edit{static_cast<Id>(request.node), key_of(request)};
  if (list == nullptr) {
    edit.set_whole(made.front());
  } else {
    edit.change = Change::Insert;
    edit.index = at == list->size() ? -1 : static_cast<std::int32_t>(at);
    edit.value = made;
  }
  change(std::move(edit), response, std::move(arrivals));
}

// The nodes of the text, if they are accepted at their place. Messages go to the response, numbers
// and EXTERNPROTO lines to `arrivals`.
std::vector<wbt::NodePtr> TreeEditor::read_nodes(const SupervisorRequest& request,
                                                 wbt::Edits& arrivals, OwnedResponse& response) {
  wbt::WorldFile world = world_with_all_numbers();
  Diagnostics diagnostics;
  const ScopedSwap swapped(core_of(simulation_).sources(), diagnostics.sources());
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
    core_of(simulation_).keep_missing(d);
  }
  arrivals.last_id = world.last_id;
  arrivals.externs = std::move(world.externs);
  return nodes;
}

// A parameter of a PROTO accepts what all fields that it is for accept.
void TreeEditor::check_accepted(const SupervisorRequest& request, const Node& made) const {
  const std::string_view name = made.proto_name.empty() ? made.type->name : made.proto_name;
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
          owner.proto_name.empty() ? owner.type->name : std::string_view(owner.proto_name)));
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
    Value now = *field.value;
    change_item(now, Change::Remove, request.index, {});
    if (const auto* list = std::get_if<std::vector<NodePtr>>(field.value)) {
      edit.removed_node = (*list)[checked_index(request.index, list->size(), false)]->id;
    }
  }
  change(std::move(edit), response);
}

// A node that stands in several places is removed from the first of them, where its DEF is; the
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
      if (list != nullptr && index_of(*list, id) < list->size()) {
        edit.index = static_cast<std::int32_t>(index_of(*list, id));
        edit.removed_node = id;
        return change(std::move(edit), response);
      }
    }
  }
}

void TreeEditor::remove_from_top(Id id) {
  wbt::Edits edits;
  edits.removed.push_back(id);
  commit(edits, effects().is_simulated(*tree_.find(id)->node));
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
    Value after = target->node->value(c.field->name);
    fitting->apply_to(after);
    if (c.field->edit == EditEffect::JointParameters) {
      place_endpoint(*target->node, *c.field, after, edits);
    }
    effect = effect || effects().has_effect(*target, *c.field, after);
    edits.change(c.node, [row = c.field, e = std::move(*fitting)](Node& n) {
      Value value = n.value(row->name);
      e.apply_to(value);
      wbt::set_value(n, *row, std::move(value));
    });
    change_parameters(edit, field, c, edits);
  }
  if (edit.key.level == 1 && !only_live) {
    edits.change(edit.node, [e = edit](Node& n) {
      Value value = n.instance->value(e.key.number);
      e.apply_to(value);
      wbt::set_parameter(n, e.key.number, std::move(value));
    });
  }
  commit(std::move(edits), effect, std::move(settings));
  for (const wbt::Connection& c : targets.fields) {
    if (c.field->edit == EditEffect::CoupledLimit || c.field->edit == EditEffect::PositionLimit) {
      update_coupled_motors(c.node, response);
    }
  }
}

// The parameters of a derived PROTO, and of instances in the body, between this one and the field.
void TreeEditor::change_parameters(const FieldEdit& edit, const FieldView& field,
                                   const wbt::Connection& target, wbt::Edits& edits) const {
  for (const wbt::ParameterPlace& p : wbt::parameters_of(tree_, target.node, *target.field)) {
    auto fitting = edit.converted(field, p.type);
    if (!fitting || (p.node == edit.node && p.level <= edit.key.level)) {
      continue;
    }
    edits.change(p.node, [p, e = std::move(*fitting)](Node& n) {
      Value value = wbt::instance_at(n, p.level)->value(p.number);
      e.apply_to(value);
      wbt::set_parameter(n, p.number, std::move(value), p.level);
    });
  }
}

// For a parameter that a template of the PROTO uses.
void TreeEditor::reinstantiate(const FieldEdit& edit, wbt::Edits edits) {
  const Node& node = *tree_.find(edit.node)->node;
  wbt::WorldFile world = world_with_all_numbers();
  world.last_id = std::max(world.last_id, edits.last_id);
  SERVOSIM_ASSERT(node.instance != nullptr, "node {} has no parameters", edit.node);
  auto given = node.instance->given;
  Value value = node.instance->value(edit.key.number);
  edit.apply_to(value);
  given[edit.key.number] = std::move(value);
  Diagnostics diagnostics;
  const ScopedSwap swapped(core_of(simulation_).sources(), diagnostics.sources());
  NodePtr made = wbt::reinstantiate(world, node, std::move(given), diagnostics);
  if (!made || diagnostics.errors() > 0) {
    throw SupervisorRequestError(
        fmt::format("the PROTO cannot be made with this value: {}", first_message(diagnostics)));
  }
  for (const Diagnostic& d : diagnostics.list()) {
    core_of(simulation_).keep_missing(d);
  }
  const bool effect = effects().is_simulated(node) || effects().is_simulated({}, {made});
  edits.last_id = world.last_id;
  edits.replaced[edit.node] = made;
  std::vector<Setting> settings;
  for (const wbt::Connection& c : made->instance->connections) {
    if (c.parameter == edit.key.number && c.field != nullptr &&
        c.field->edit == EditEffect::Setting) {
      settings.push_back({c.node, c.field->name});
    }
  }
  commit(std::move(edits), effect, std::move(settings));
}

// The limits of an edited motor become those of the motors that are coupled to it, by their
// multipliers.
void TreeEditor::update_coupled_motors(Id id, OwnedResponse& response) {
  const wbt::TreeEntry* changed = tree_.find(id);
  const DeviceSpec* spec = nullptr;
  const RobotSpec* owner = nullptr;
  for (const RobotSpec& robot : core_of(simulation_).scene().robots) {
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

// Also sets a parameter that the field IS.
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
  edits.change(id, [row, value](Node& n) { wbt::set_value(n, *row, value); });
  set_parameters_of(tree_, id, *row, value, edits);
}

// Before an edit of a place or of a joint, writes present places that the edit does not change into
// the tree.
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

// The places of the endpoints of a joint, by the node of the joint, of its parameters or its motor.
void TreeEditor::keep_joint_places(Id id, wbt::Edits& edits) {
  std::vector<int> joints = live_.joints(tree_, id);
  if (joints.empty()) {  // of a motor
    joints = live_.joints(tree_, tree_.find(id)->above);
  }
  for (const int joint : joints) {
    const int index = core_of(simulation_).joint_in_scene(joint);
    const int child = index >= 0 ? core_of(simulation_).scene().joints[index].child : -1;
    if (child >= 0) {
      const Id solid = core_of(simulation_).scene().solids[child].node;
      live_.copy_to_tree(tree_, solid, "translation", edits);
      live_.copy_to_tree(tree_, solid, "rotation", edits);
      live_.copy_positions_to_tree(tree_, core_of(simulation_).scene().joints[index].node, edits);
    }
  }
}

// The places of Solids in a Pose, Transform or Group; the place of an endpoint follows from its
// joint.
void TreeEditor::keep_places_below(Id id, wbt::Edits& edits) {
  const auto& solids = core_of(simulation_).scene().solids;
  const auto is_below = [&](const SolidSpec& solid) {
    return tree_.find(solid.node) != nullptr && tree_.is_below(solid.node, id);
  };
  for (const SolidSpec& solid : solids) {
    const bool is_first = solid.parent < 0 || !is_below(solids[solid.parent]);
    if (solid.joint < 0 && is_first && is_below(solid)) {
      live_.copy_to_tree(tree_, solid.node, "translation", edits);
      live_.copy_to_tree(tree_, solid.node, "rotation", edits);
    }
  }
}

// New parameters place the endpoint of a joint, from its pose at position 0; without parameters the
// endpoint stays.
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
