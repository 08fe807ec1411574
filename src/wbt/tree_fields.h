// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/node.h"

namespace servosim::wbt {

/// A field of a node as a Supervisor sees it. `level` 0: of the node itself, for a PROTO instance
/// of the node that its body is; 1: of the PROTO; from 2 on: of the PROTO it is derived from.
struct FieldKey {
  std::uint8_t level = 0;
  std::uint16_t number = 0;  ///< index of NodeType::fields, or of ProtoInterface::fields
  friend bool operator==(const FieldKey&, const FieldKey&) = default;
};

/// What a key stands for.
struct FieldView {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  const Value* value = nullptr;  ///< as it stands in the tree
};

/// The instance on `level` >= 1, or null.
const ProtoInstance* instance_at(const Node& node, int level);
/// The keys on a level in the order of Webots: what many nodes have first.
std::vector<FieldKey> field_keys(const Node& node, int level);
/// The field of that name on a level.
std::optional<FieldKey> find_field(const Node& node, int level, std::string_view name);
/// Nothing if there is no such field.
std::optional<FieldView> field_view(const Node& node, FieldKey key);

/// The fields that change with field `key`, all of the node table: itself, or those in the body
/// that are connected to a parameter. `again`: a template looks at the parameter, so the instance
/// must be made anew.
struct Targets {
  std::vector<Connection> fields;
  bool again = false;
};
Targets targets_of(const Node& node, FieldKey key);

}  // namespace servosim::wbt
