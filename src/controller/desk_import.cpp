// SPDX-License-Identifier: Apache-2.0
// SupervisorDesk: nodes that come and go.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "controller/field_values.h"
#include "controller/supervisor_desk.h"
#include "core/lent.h"
#include "servosim/diagnostics.h"
#include "wbt/accepted_nodes.h"
#include "wbt/tree_reading.h"
#include "wbt/values.h"

namespace servosim {
namespace {

using wbt::FieldKey;
using wbt::FieldView;
using wbt::NodePtr;
using wbt::Value;

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
    throw AskError(fmt::format("a {} cannot be removed.", type));
  }
  if (entry.internal) {
    throw AskError("a node inside of a PROTO cannot be removed.");
  }
}

}  // namespace

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
    if (const auto* there = std::get_if<NodePtr>(&value); there != nullptr && *there) {
      throw AskError("called with a non-empty field: remove its node first.");
    }
  }
  const auto* list = std::get_if<std::vector<NodePtr>>(&value);
  const std::size_t at = list != nullptr ? checked_index(ask.index, list->size(), true) : 0;
  const std::vector<NodePtr> made = read_nodes(ask);
  if (list == nullptr && made.size() > 1) {
    throw AskError("the text holds more than one node, the field one.");
  }
  told_.text = text_;
  read_.imported = made;
  if (ask.node == 0) {
    wbt::Edits edits = std::move(read_);
    for (std::size_t i = 0; i < made.size(); ++i) {
      // The last place is the end, whatever somebody else adds.
      edits.inserted.emplace_back(at == list->size() ? kEnd : at + i, made[i]);
    }
    return commit(std::move(edits), is_made_of({}, made));
  }
  FieldEdit edit{static_cast<Id>(ask.node), key_of(ask)};
  edit.how = Change::Insert;
  edit.index = list != nullptr && at == list->size() ? -1 : static_cast<std::int32_t>(at);
  edit.whole = list == nullptr;
  edit.value = list != nullptr ? Value(made) : Value(made.front());
  change(std::move(edit));
}

// The nodes of the text, if they may stand where they are to stand. Messages go to text_, what else
// comes with them to read_.
std::vector<wbt::NodePtr> SupervisorDesk::read_nodes(const Ask& ask) {
  wbt::WorldFile world = world_to_read_for();
  Diagnostics diagnostics;
  const Lent lent(simulation_.sources(), diagnostics.sources());
  auto nodes = wbt::read_nodes(world, std::string(ask.text), diagnostics);
  if (diagnostics.errors() > 0 || nodes.empty()) {
    throw AskError(first_message(diagnostics));
  }
  for (const NodePtr& made : nodes) {
    if (const std::string_view type = made->type->name;
        type == "WorldInfo" || type == "Viewpoint") {
      throw AskError(fmt::format("a world has one {}, which stands in its file.", type));
    }
    check_accepted(ask, *made);
  }
  for (const Diagnostic& d : diagnostics.list()) {
    text_ += (text_.empty() ? "" : "\n") + to_string(d);
  }
  read_.last_id = world.last_id;
  read_.externs = std::move(world.externs);
  return nodes;
}

// For a parameter of a PROTO, by all fields that it is for.
void SupervisorDesk::check_accepted(const Ask& ask, const wbt::Node& made) const {
  const std::string_view name = made.proto_name.empty() ? made.type->name : made.proto_name;
  if (ask.node == 0) {
    if (!wbt::accepts({}, *made.type)) {
      throw AskError(fmt::format("cannot insert a {} node on the top level of the world.", name));
    }
    return;
  }
  const wbt::Node& owner = node(ask);
  for (const wbt::Connection& c : wbt::targets_of(owner, key_of(ask)).fields) {
    const wbt::TreeEntry* target = tree_.find(c.node);
    if (target != nullptr &&
        !wbt::accepts({target->node->type, c.field->name, target->collides}, *made.type)) {
      throw AskError(fmt::format(
          "cannot insert a {} node in the '{}' field of a {} node.", name, view(ask).name,
          owner.proto_name.empty() ? owner.type->name : std::string_view(owner.proto_name)));
    }
  }
}

void SupervisorDesk::remove_item(const Ask& ask) {
  if (ask.node == 0) {
    const auto& nodes = tree_.file()->nodes;
    Ask gone = ask;
    gone.node = static_cast<std::int32_t>(nodes[checked_index(ask.index, nodes.size(), false)]->id);
    check_removable(entry(gone));
    return remove_from_top(static_cast<Id>(gone.node));
  }
  writes_live(ask);
  const FieldView field = view(ask);
  FieldEdit edit{static_cast<Id>(ask.node), key_of(ask)};
  edit.how = Change::Remove;
  edit.index = ask.index;
  if (const auto* slot = std::get_if<NodePtr>(field.value)) {
    if (*slot == nullptr) {
      throw AskError("called with an empty field.");
    }
    edit.whole = true;
    edit.value = NodePtr{};
  } else {
    Value now = *field.value;
    change_item(now, Change::Remove, ask.index, {});
    if (const auto* list = std::get_if<std::vector<NodePtr>>(field.value)) {
      edit.gone = (*list)[checked_index(ask.index, list->size(), false)]->id;
    }
  }
  change(std::move(edit));
}

// A node that stands in several places leaves the first of them, where its DEF is; the next one is
// the DEF then.
void SupervisorDesk::remove(const Ask& ask) {
  const wbt::TreeEntry& found = entry(ask);
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

void SupervisorDesk::remove_from_top(Id id) {
  wbt::Edits edits;
  edits.removed.push_back(id);
  commit(edits, is_made_of(*tree_.find(id)->node));
}

}  // namespace servosim
