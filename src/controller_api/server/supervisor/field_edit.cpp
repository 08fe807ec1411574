// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/field_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "controller_api/server/supervisor/field_values.h"
#include "wbt/values.h"

namespace servosim {

namespace {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

}  // namespace

void FieldEdit::set_whole(wbt::Value to) {
  whole = true;
  change = Change::Set;
  removed_node = 0;
  value = std::move(to);
}

void FieldEdit::apply_to(wbt::Value& present) const {
  SERVOSIM_ASSERT(!whole || (change == Change::Set && removed_node == 0),
                  "edit of a whole field of node {} removes node {}", node, removed_node);
  if (whole) {
    present = value;
    return;
  }
  if (const auto nodes = change_of_nodes(node, key)) {
    return nodes->apply_to(present);
  }
  std::int32_t at = index;
  if (change == Change::Insert) {
    at = std::min(at, item_count(present));
    at = at < -item_count(present) - 1 ? 0 : at;
  }
  change_item(present, change, at, value);
}

std::optional<wbt::NodesChange> FieldEdit::change_of_nodes(std::uint32_t of,
                                                           wbt::FieldKey at) const {
  wbt::NodesChange nodes{of, at, index};
  nodes.removed = removed_node;
  if (const auto* one = std::get_if<wbt::NodePtr>(&value)) {
    if (*one) {
      nodes.inserted.push_back(*one);
    }
    return nodes;
  }
  const auto* const list = std::get_if<std::vector<wbt::NodePtr>>(&value);
  if (list != nullptr && change == Change::Insert) {
    nodes.inserted = *list;
    return nodes;
  }
  return removed_node != 0 ? std::optional(std::move(nodes)) : std::nullopt;
}

std::optional<FieldEdit> FieldEdit::converted(const wbt::FieldView& parameter,
                                              wbt::ValueType to) const {
  FieldEdit result = *this;
  if (!whole && wbt::initial_value(to).index() == parameter.value->index()) {
    return result;
  }
  if (!whole) {
    wbt::Value all = *parameter.value;
    apply_to(all);
    result.set_whole(std::move(all));
  }
  auto fitting = wbt::converted(result.value, parameter.type, to);
  if (!fitting) {
    return std::nullopt;
  }
  result.value = std::move(*fitting);
  return result;
}

std::int32_t item_count(const wbt::Value& value) {
  return std::visit(
      [](const auto& v) -> std::int32_t {
        if constexpr (IsVector<std::decay_t<decltype(v)>>::value) {
          return static_cast<std::int32_t>(v.size());
        } else {
          return -1;
        }
      },
      value);
}

std::size_t checked_index(std::int32_t index, std::size_t count, bool between) {
  const auto size = static_cast<std::int64_t>(count) + (between ? 1 : 0);
  if (size == 0) {
    throw SupervisorRequestError("called on an empty list.");
  }
  if (index < -size || index >= size) {
    throw SupervisorRequestError(
        fmt::format("called with an out-of-bound index: {} (should be between {} and {}).", index,
                    -size, size - 1));
  }
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

std::size_t index_of(const std::vector<wbt::NodePtr>& list, const wbt::Node& node) {
  const auto find = [&list](const auto& is_it) {
    return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), is_it) - list.begin());
  };
  // Addresses are compared first: to look into each of many nodes costs much more.
  const std::size_t at = find([&](const wbt::NodePtr& item) { return item.get() == &node; });
  return at < list.size()
             ? at
             : find([&](const wbt::NodePtr& item) { return item && item->id == node.id; });
}

void change_item(wbt::Value& value, Change change, std::int32_t index, const wbt::Value& item) {
  std::visit(
      [&](auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (IsVector<T>::value) {
          using Item = typename T::value_type;
          const auto i =
              static_cast<std::ptrdiff_t>(checked_index(index, v.size(), change == Change::Insert));
          if (change == Change::Remove) {
            v.erase(v.begin() + i);
          } else if (change == Change::Insert) {
            v.insert(v.begin() + i, std::get<Item>(item));
          } else {
            v[static_cast<std::size_t>(i)] = std::get<Item>(item);
          }
        } else if (change == Change::Set) {
          v = std::get<T>(item);
        } else {
          throw SupervisorRequestError("called on a field that is no list.");
        }
      },
      value);
}

}  // namespace servosim
