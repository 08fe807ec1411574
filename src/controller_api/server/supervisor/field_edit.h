// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wbt/node.h"
#include "wbt/tree.h"

namespace servosim {

/// The kinds of edits of an item of a list. A single value can only be set.
enum class Change : std::uint8_t { Set, Insert, Remove };

/// An edit of one field. For a list it holds one item, so that changes that other supervisors make
/// before it is applied are not lost.
///
/// Invariant: an edit of the whole field sets it, and removes no node.
struct FieldEdit {
  std::uint32_t node = 0;  ///< a wbt::Node::id
  wbt::FieldKey key;
  Change change = Change::Set;
  bool whole = false;      ///< true: the field gets `value`; false: the item at `index` changes
  std::int32_t index = 0;  ///< from 0, or from the end if negative
  wbt::Value value{};      ///< of the field or of the item; all nodes of a list are inserted
  std::uint32_t removed_node = 0;  ///< the node that a Remove removes, or 0

  /// Makes it an edit that sets the whole field.
  void set_whole(wbt::Value to);

  /// The edit as a change of nodes in the field `key` of `node`, which costs the same where there
  /// are many of them. Nothing for an edit of other values.
  std::optional<wbt::NodesChange> change_of_nodes(std::uint32_t node, wbt::FieldKey key) const;
  /// Applies the edit to the present value of the field. A node that is no longer in the list need
  /// not be removed.
  /// @throws SupervisorRequestError if the item is no longer there
  void apply_to(wbt::Value& present) const;

  /// The same edit for a field of type `to` that has its value from the parameter `parameter`. A
  /// field of another type gets what the whole parameter becomes. Nothing if the types cannot be
  /// converted.
  std::optional<FieldEdit> converted(const wbt::FieldView& parameter, wbt::ValueType to) const;
};

/// The number of items of a list; -1 for a single value.
std::int32_t item_count(const wbt::Value& value);
/// The index, counted from 0 or, if it is negative, from the end. With `between` it is a position
/// between items, of which there is one more. @throws SupervisorRequestError if it is out of range
std::size_t checked_index(std::int32_t index, std::size_t count, bool between);
/// The index of a node in a list; the size of the list if it is not in it.
std::size_t index_of(const std::vector<wbt::NodePtr>& list, const wbt::Node& node);
/// Changes a single value, or an item of a list. @throws SupervisorRequestError if there is no such
/// item
void change_item(wbt::Value& value, Change change, std::int32_t index, const wbt::Value& item);

}  // namespace servosim
