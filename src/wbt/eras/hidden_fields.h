// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "wbt/node.h"

namespace servosim::wbt {

/// A `hidden` line of a PROTO instance: the saved state of a Solid or joint inside it.
struct HiddenField {
  std::string_view field;  ///< translation, rotation, linearVelocity, angularVelocity, position…
  ValueType type = ValueType::SFFloat;
  int solid = 0;   ///< counted from 0 in depth-first order, parents first
  int joint = -1;  ///< of those that start at that Solid; -1 if a Solid's field is meant
  Value value;
  SourceLocation where;
};
using HiddenFields = std::vector<HiddenField>;

/// Field, type and indices of e.g. `translation_2` or `position2_0_1`; nothing if the name is of
/// another kind. The value is left alone.
std::optional<HiddenField> parse_hidden_name(std::string_view name);

/// Sets the fields below `root`, which is copied as far as it is shared. Of lines that say the same
/// field the last one counts.
void apply_hidden(NodePtr& root, const HiddenFields& hidden);

/// What a hidden line of an instance could name.
struct HiddenPlace {
  const Node* node = nullptr;  ///< a Solid, a joint or its jointParameters
  int solid = 0;               ///< see HiddenField
  int joint = -1;              ///< likewise
  std::string_view name;       ///< HiddenField::field
  std::string_view field;      ///< of `node`
};
std::vector<HiddenPlace> hidden_places(const Node& root);

/// Access to a node for writing: copies it first if somebody else holds it too.
Node& owned(NodePtr& node);
/// Sets a field, replacing an earlier value.
void set_field(Node& node, const FieldType& type, SourceLocation where, Value value);

}  // namespace servosim::wbt
