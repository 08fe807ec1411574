// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// Changes of a tree by the numbers of its nodes. A node that stands in several places, or as a
/// value of a PROTO instance and in its body, changes in all of them.
struct Edits {
  std::unordered_map<std::uint32_t, std::function<void(Node&)>> changes;
  /// Nodes that are replaced by another one. Null: taken out of lists; an SFNode becomes NULL.
  std::unordered_map<std::uint32_t, NodePtr> replaced;

  void change(std::uint32_t node, std::function<void(Node&)> how);
  /// Taken out of the top level; other places of a USE stay.
  std::vector<std::uint32_t> removed;
  /// On the top level, each before the node of that index as it then is.
  std::vector<std::pair<std::size_t, NodePtr>> inserted;
  /// What reading nodes for them made of WorldFile::last_id, if it did.
  std::uint32_t last_id = 0;
  /// EXTERNPROTO lines that those nodes came with; of a PROTO that has one already the old stays.
  std::vector<std::string> externs;
  /// Nodes that come with the changes from outside: see WorldFile::imported.
  std::vector<NodePtr> imported;

  bool empty() const {
    return changes.empty() && replaced.empty() && removed.empty() && inserted.empty();
  }
};

/// The world with these changes; shares all that stays.
/// @throws std::length_error if it would have more nodes, or more levels of them, than a world may
WorldFile rewritten(const WorldFile& world, const Edits& edits);

/// Sets a value the program made.
void set_value(Node& node, const FieldType& field, Value value);
/// Sets a parameter of the instance that `node` is the root of; `level` as of instance_at().
void set_parameter(Node& node, std::uint32_t parameter, Value value, int level = 1);

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
