// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// A field of a node as a Supervisor sees it. `level` 0 is the node itself; for a PROTO instance
/// that is the node of its body. Level 1 is the PROTO; levels from 2 on are the PROTOs from which
/// it is derived.
struct FieldKey {
  std::uint8_t level = 0;
  std::uint16_t number = 0;  ///< index of NodeType::fields, or of ProtoInterface::fields
  friend bool operator==(const FieldKey&, const FieldKey&) = default;
};

/// A change of the nodes in one field. The first of `inserted`, or NULL, replaces a single node. In
/// a list, `removed` is removed and `inserted` are inserted.
struct NodesChange {
  std::uint32_t node = 0;  ///< Node::id of the node that has the field
  FieldKey key;
  /// Counted from 0 or, if negative, from the end: -1 is after the last node.
  std::int32_t index = 0;
  std::vector<NodePtr> inserted{};  ///< new nodes at `index`, or as close to it as the list permits
  /// Searched at `index` first; 0, or a node that is not there, removes nothing.
  std::uint32_t removed = 0;

  /// Returns the index of the node to be removed; the size of the list if it is not there.
  std::size_t find_removed(const std::vector<NodePtr>& list) const;
  /// Returns the index of `inserted` in a list of that size.
  std::size_t place_in(std::size_t size) const;
  /// @return the index of the inserted nodes, or the former index of the removed one
  std::size_t apply_to(std::vector<NodePtr>& list) const;
  /// Applies the change to a value that contains nodes.
  void apply_to(Value& value) const;
};

/// Changes of a tree by the ids of its nodes. A node that is in several places, or both a value of
/// a PROTO instance and in its body, changes in all of them.
struct Edits {
  /// The change of one node. `keeps_nodes` tells that no field or parameter that contains nodes
  /// changes.
  struct NodeChange {
    std::function<void(Node&)> how;
    bool keeps_nodes = true;
  };
  std::unordered_map<std::uint32_t, NodeChange> changes;
  /// Applied after `changes`, in this order.
  std::vector<NodesChange> node_lists;
  /// Replacements of nodes. Null removes the node from lists and sets an SFNode to NULL.
  std::unordered_map<std::uint32_t, NodePtr> replaced;

  /// Adds any change of a node's fields and parameters.
  void change(std::uint32_t node, std::function<void(Node&)> how) {
    add(node, {std::move(how), false});
  }
  /// Adds a change that does not affect fields and parameters with nodes; it costs less.
  void change_value(std::uint32_t node, std::function<void(Node&)> how) {
    add(node, {std::move(how), true});
  }
  /// Nodes that are removed from the top level; other places of a USE stay.
  std::vector<std::uint32_t> removed;
  /// Nodes that are inserted on the top level, each before the node that has the index at that
  /// time.
  std::vector<std::pair<std::size_t, NodePtr>> inserted;
  /// WorldFile::last_id after nodes were read for these edits, if any were.
  std::uint32_t last_id = 0;
  /// EXTERNPROTO lines of those nodes. If a PROTO already has a line, that one stays.
  std::vector<std::string> externs;
  /// Nodes that the changes bring in from outside: see WorldFile::imported.
  std::vector<NodePtr> imported;

  bool empty() const {
    return changes.empty() && node_lists.empty() && replaced.empty() && removed.empty() &&
           inserted.empty();
  }

 private:
  void add(std::uint32_t node, NodeChange change);
};

/// Returns the world with these changes; it shares everything that stays.
/// @throws std::length_error if it would have more nodes, or more levels of nodes, than permitted
WorldFile rewritten(const WorldFile& world, const Edits& edits);

/// Adds the EXTERNPROTO lines of PROTOs that have none yet.
void add_externs(std::vector<std::string>& known, const std::vector<std::string>& more);

}  // namespace servosim::wbt
