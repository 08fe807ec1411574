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

/// An edit of one field. Of a list it holds one item, so that changes by other supervisors before
/// the edit is applied remain.
///
/// Invariant: an edit of the whole field sets it, and removes no node.
struct FieldEdit {
  std::uint32_t node = 0;  ///< wbt::Node::id
  wbt::FieldKey key;
  Change change = Change::Set;
  bool whole = false;      ///< the field gets `value`; else the item at `index` is changed
  std::int32_t index = 0;  ///< from 0 or, negative, from the end
  wbt::Value value{};      ///< of the field or of the item; a list of nodes: all are inserted
  std::uint32_t removed_node = 0;  ///< which the Remove takes out, or 0

  /// Makes it an edit that sets the whole field.
  void set_whole(wbt::Value to);

  /// The edit as a change of nodes, in the place `key` of `node`: it costs no more where they are
  /// many. Nothing for an edit of other values.
  std::optional<wbt::NodesChange> change_of_nodes(std::uint32_t node, wbt::FieldKey key) const;
  /// Applies the edit to the present value of the field. A node that is no longer in the list needs
  /// no removal. @throws SupervisorRequestError if its item is no longer there
  void apply_to(wbt::Value& present) const;

  /// The same edit for a field of type `to` that a parameter, `parameter`, is for. A field of
  /// another type is set to what the whole parameter becomes. Nothing if the types do not convert.
  std::optional<FieldEdit> converted(const wbt::FieldView& parameter, wbt::ValueType to) const;
};

/// Items of a list; -1 for a single value.
std::int32_t item_count(const wbt::Value& value);
/// An index from 0 or, negative, from the end. `between`: a place between items, so one more.
/// @throws SupervisorRequestError if it is out of range
std::size_t checked_index(std::int32_t index, std::size_t count, bool between);
/// The index of a node in a list, or the list's size.
std::size_t index_of(const std::vector<wbt::NodePtr>& list, const wbt::Node& node);
/// Changes a single value, or an item of a list. @throws SupervisorRequestError if there is no such
/// item
void change_item(wbt::Value& value, Change change, std::int32_t index, const wbt::Value& item);

}  // namespace servosim
