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

/// A field of a node as a Supervisor sees it. `level` 0: of the node itself, for a PROTO instance
/// of the node that its body is; 1: of the PROTO; from 2 on: of the PROTO it is derived from.
struct FieldKey {
  std::uint8_t level = 0;
  std::uint16_t number = 0;  ///< index of NodeType::fields, or of ProtoInterface::fields
  friend bool operator==(const FieldKey&, const FieldKey&) = default;
};

/// A change of the nodes in one field. A single node is replaced by the first of `inserted`, or by
/// NULL; of a list, `removed` goes and `inserted` come.
struct NodesChange {
  std::uint32_t node = 0;  ///< Node::id of the one that has the field
  FieldKey key;
  std::int32_t index = 0;           ///< from 0 or, negative, from the end: -1 is behind the last
  std::vector<NodePtr> inserted{};  ///< at `index`, or as near to it as the list allows
  std::uint32_t removed = 0;        ///< looked for at `index` first; 0, or no longer there: none

  /// Where the node to be removed is; the size of the list if it is not there.
  std::size_t find_removed(const std::vector<NodePtr>& list) const;
  /// Where `inserted` comes in a list of that size.
  std::size_t place_in(std::size_t size) const;
  /// @return where the nodes that were inserted are, or the place of the one that was removed
  std::size_t apply_to(std::vector<NodePtr>& list) const;
  /// Applies it to a value that holds nodes.
  void apply_to(Value& value) const;
};

/// Changes of a tree by the numbers of its nodes. A node that is in several places, or as a
/// value of a PROTO instance and in its body, changes in all of them.
struct Edits {
  /// The change of one node. `keeps_nodes`: no field or parameter that holds nodes changes.
  struct NodeChange {
    std::function<void(Node&)> how;
    bool keeps_nodes = true;
  };
  std::unordered_map<std::uint32_t, NodeChange> changes;
  /// Applied after `changes`, in this order.
  std::vector<NodesChange> node_lists;
  /// Nodes that are replaced by another one. Null: taken out of lists; an SFNode becomes NULL.
  std::unordered_map<std::uint32_t, NodePtr> replaced;

  /// Any change of a node's fields and parameters.
  void change(std::uint32_t node, std::function<void(Node&)> how) {
    add(node, {std::move(how), false});
  }
  /// One that leaves those that hold nodes as they are; it costs less.
  void change_value(std::uint32_t node, std::function<void(Node&)> how) {
    add(node, {std::move(how), true});
  }
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
    return changes.empty() && node_lists.empty() && replaced.empty() && removed.empty() &&
           inserted.empty();
  }

 private:
  void add(std::uint32_t node, NodeChange change);
};

/// The world with these changes; shares all that stays.
/// @throws std::length_error if it would have more nodes, or more levels of them, than a world may
WorldFile rewritten(const WorldFile& world, const Edits& edits);

/// Adds the EXTERNPROTO lines of PROTOs that have none yet.
void add_externs(std::vector<std::string>& known, const std::vector<std::string>& more);

}  // namespace servosim::wbt
