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

FieldView children_of_root(const std::vector<wbt::NodePtr>& nodes, Value& holder) {
  holder = nodes;
  return {"children", ValueType::MFNode, &holder};
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

// Of a field in the body of a PROTO, or of a parameter that another PROTO gives on: the parameter
// that it IS.
void SupervisorDesk::actual_field(const Ask& ask) {
  told_.node = ask.node;
  told_.level = ask.level;
  told_.integer = ask.field;
  if (ask.node == 0) {
    return;
  }
  view(ask);  // there is such a field
  const wbt::Node& asked = node(ask);
  const auto is_the_same = [&](const wbt::Connection& c) {
    if (ask.level == 0) {
      return c.node == asked.id && c.field != nullptr &&
             c.field->name == asked.type->fields[ask.field]->name;
    }
    const auto& own = wbt::instance_at(asked, ask.level)->connections;
    return c.field != nullptr && std::any_of(own.begin(), own.end(), [&](const wbt::Connection& o) {
             return o.parameter == ask.field && o.node == c.node && o.field == c.field;
           });
  };
  for (Id id = asked.id; id != 0; id = tree_.find(id)->parent) {
    const wbt::ProtoInstance* instance = tree_.find(id)->node->instance.get();
    if (instance == nullptr || tree_.find(id)->internal) {
      continue;
    }
    const auto& theirs = instance->connections;
    const auto found = std::find_if(theirs.begin(), theirs.end(), is_the_same);
    if (found != theirs.end()) {
      told_.node = static_cast<std::int32_t>(id);
      told_.level = 1;
      told_.integer = static_cast<std::int32_t>(found->parameter);
      return;
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
  auto value = live_.read(tree_, *owner, field->name);
  const FieldView asked = *wbt::field_view(node, key);  // a parameter may be of another type
  return value && asked.type != field->type ? wbt::converted(*value, field->type, asked.type)
                                            : value;
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
  FieldEdit edit{static_cast<Id>(ask.node), key_of(ask)};
  edit.how = ask.kind == AskKind::Insert ? Change::Insert : Change::Set;
  edit.index = ask.index;
  edit.value = item_of(field.type, ask);
  const auto live = live_value(node(ask), key_of(ask));
  Value now = live ? *live : *field.value;
  const bool at_end = edit.how == Change::Insert && ask.index == item_count(now);
  change_item(now, edit.how, edit.index, edit.value);
  edit.index = at_end ? -1 : ask.index;
  if (live || item_count(now) < 0) {
    edit.whole = true;
    edit.value = std::move(now);
  }
  change(std::move(edit));
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

}  // namespace servosim
