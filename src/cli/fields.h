// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wbt/schema/node_types.h"

// The field table as it is shown: what the text and docs/reference/fields.md have in common.

namespace servosim {

/// `all`, `since V7.2`, `until R2021b`, `V7.2 to V7.3` or `V8.6`.
std::string versions_text(const wbt::Version& since, const wbt::Version& until);

/// Fields that come from one node or base, in the order of the table.
struct FieldGroup {
  std::string_view origin;
  std::vector<const wbt::FieldType*> fields;
};
/// The node's own fields first.
std::vector<FieldGroup> field_groups(const wbt::NodeType& type);

/// The names that are read as this node type.
std::vector<std::string_view> old_names_of(const wbt::NodeType& type);

/// docs/reference/fields.md
std::string fields_markdown();

}  // namespace servosim
