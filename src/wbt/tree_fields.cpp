// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree_fields.h"

#include <algorithm>

#include "wbt/field_order.h"
#include "wbt/node_types.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

// Only nightly versions of R2023b, which called themselves so, gave Solids a scale: files may have
// it, and the release does not.
bool is_shown(const FieldType& field, const Version& version) {
  constexpr Version kR2023b{2023, 1, 0};
  const bool is_nightly = field.name == "scale" && field.until == kR2023b && version >= kR2023b;
  return field.lives_in(version) && !field.extension && !is_nightly;
}

}  // namespace

const ProtoInstance* instance_at(const Node& node, int level) {
  const ProtoInstance* instance = node.instance.get();
  for (; level > 1 && instance != nullptr; --level) {
    instance = instance->base.get();
  }
  return instance;
}

std::vector<FieldKey> field_keys(const Node& node, int level) {
  std::vector<FieldKey> keys;
  if (level > 0) {
    const ProtoInstance* instance = instance_at(node, level);
    const std::size_t count = instance != nullptr ? instance->interface->fields.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back({static_cast<std::uint8_t>(level), static_cast<std::uint16_t>(i)});
    }
    return keys;
  }
  for (const std::uint16_t i : field_order(*node.type)) {
    if (is_shown(*node.type->fields[i], node.version)) {
      keys.push_back({0, i});
    }
  }
  return keys;
}

std::optional<FieldKey> find_field(const Node& node, int level, std::string_view name) {
  if (level > 0) {
    const ProtoInstance* instance = instance_at(node, level);
    const std::size_t count = instance != nullptr ? instance->interface->fields.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (instance->interface->fields[i].name == name) {
        return FieldKey{static_cast<std::uint8_t>(level), static_cast<std::uint16_t>(i)};
      }
    }
    return std::nullopt;
  }
  const FieldType* row = node.type->field(name, node.version);
  const auto found = std::find(node.type->fields.begin(), node.type->fields.end(), row);
  if (row == nullptr || found == node.type->fields.end()) {
    return std::nullopt;
  }
  return FieldKey{0, static_cast<std::uint16_t>(found - node.type->fields.begin())};
}

std::optional<FieldView> field_view(const Node& node, FieldKey key) {
  if (key.level > 0) {
    const ProtoInstance* instance = instance_at(node, key.level);
    if (instance == nullptr || key.number >= instance->interface->fields.size()) {
      return std::nullopt;
    }
    const InterfaceField& field = instance->interface->fields[key.number];
    return FieldView{field.name, field.type, &instance->value(key.number)};
  }
  if (key.number >= node.type->fields.size()) {
    return std::nullopt;
  }
  const FieldType& row = *node.type->fields[key.number];
  const Field* field = node.find(row.name);
  const Value& value = field != nullptr ? field->value : default_value(row);
  ValueType type = row.type;
  if (type == ValueType::SFFloatOrVec3f) {
    type = std::holds_alternative<Vec3>(value) ? ValueType::SFVec3f : ValueType::SFFloat;
  }
  return FieldView{row.name, type, &value};
}

Targets targets_of(const Node& node, FieldKey key) {
  Targets targets;
  if (key.level == 0) {
    targets.fields.push_back({0, node.id, node.type->fields[key.number]});
    return targets;
  }
  const ProtoInstance* instance = instance_at(node, key.level);
  targets.again = instance->interface->fields[key.number].looked_at;
  for (const Connection& c : instance->connections) {
    if (c.parameter == key.number && c.field == nullptr) {
      targets.again = true;
    } else if (c.parameter == key.number) {
      targets.fields.push_back(c);
    }
  }
  return targets;
}

}  // namespace servosim::wbt
