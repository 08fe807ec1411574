// SPDX-License-Identifier: Apache-2.0
#include "controller/server/supervisor/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/report_once.h"
#include "base/scoped.h"
#include "sim/simulation_core.h"
#include "wbt/values.h"

namespace servosim {

using wbt::Node;
using wbt::NodePtr;
using wbt::Value;

namespace {

std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    steps.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

std::string_view type_name_of(const Node& node) {
  return node.proto_name.empty() ? node.type->name : std::string_view(node.proto_name);
}

std::string name_of(const Node& node) {
  const wbt::Field* field = node.find("name");
  const auto* text = field != nullptr ? std::get_if<std::string>(&field->value) : nullptr;
  return text != nullptr ? *text : "";
}

// The only node on the top level that fits; null if none or several do.
template <typename Fits>
const Node* only_one(const std::vector<NodePtr>& nodes, Fits fits) {
  const Node* found = nullptr;
  for (const NodePtr& node : nodes) {
    if (node != nullptr && fits(*node)) {
      if (found != nullptr) {
        return nullptr;
      }
      found = node.get();
    }
  }
  return found;
}

bool all_finite(double number) { return std::isfinite(number); }
bool all_finite(const wbt::Vec2& v) { return std::isfinite(v.x) && std::isfinite(v.y); }
bool all_finite(const Vec3& v) { return is_finite(v); }
bool all_finite(const AxisAngle& v) { return is_finite(v.axis) && std::isfinite(v.angle); }
template <typename Other>
bool all_finite(const Other&) {
  return true;
}
template <typename Item>
bool all_finite(const std::vector<Item>& list) {
  return std::all_of(list.begin(), list.end(), [](const Item& item) { return all_finite(item); });
}

}  // namespace

std::vector<std::string> Fields::names_of(std::uint32_t id) const {
  const Node& owner = node(id);
  std::vector<std::string> names;
  for (const int level : {1, 0}) {
    if (level == 1 && owner.instance == nullptr) {
      continue;
    }
    for (const wbt::FieldKey& key : wbt::field_keys(owner, level)) {
      const std::string name(wbt::field_view(owner, key)->name);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

// The field of one step, `name` or `name[item]`.
FieldPlace Fields::find_field(std::uint32_t id, std::string_view step) const {
  const std::string_view name = step.substr(0, step.find('['));
  const Node& owner = node(id);
  FieldPlace place{id, {}, {}, {}};
  auto key = owner.instance != nullptr ? wbt::find_field(owner, 1, name) : std::nullopt;
  key = key ? key : wbt::find_field(owner, 0, name);
  if (!key) {
    throw UnknownFieldName(fmt::format("a {} node has no field '{}'", type_name_of(owner), name),
                           std::string(name), names_of(id));
  }
  place.key = *key;
  place.type = wbt::field_view(owner, *key)->type;
  if (name.size() < step.size()) {
    const std::string_view digits = step.substr(name.size() + 1);
    int item = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), item);
    if (error != std::errc{} || std::string_view(end, digits.end()) != "]") {
      throw SupervisorRequestError(
          fmt::format("'{}' is no field or item of a list, such as children[0]", step));
    }
    place.item = item;
  }
  return place;
}

std::uint32_t Fields::node_in(const FieldPlace& place, std::string_view step) const {
  const Value& value = *wbt::field_view(node(place.node), place.key)->value;
  const auto* slot = std::get_if<NodePtr>(&value);
  if (const auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
    if (!place.item) {
      throw SupervisorRequestError(
          fmt::format("'{}' holds {} nodes: name one, as in {}[0]", step, list->size(), step));
    }
    slot = &(*list)[checked_index(*place.item, list->size(), false)];
  }
  if (slot == nullptr || *slot == nullptr) {
    throw SupervisorRequestError(fmt::format("'{}' holds no node", step));
  }
  return (*slot)->id;
}

std::uint32_t Fields::top_node(std::string_view step) const {
  const auto& nodes = editor_.tree().file()->nodes;
  const Node* found =
      only_one(nodes, [step](const Node& top) { return type_name_of(top) == step; });
  found = found != nullptr
              ? found
              : only_one(nodes, [step](const Node& top) { return name_of(top) == step; });
  if (found != nullptr) {
    return found->id;
  }
  std::vector<std::string> names = editor_.tree().defs();
  for (const NodePtr& top : nodes) {
    if (top != nullptr && top->def.empty()) {
      names.emplace_back(type_name_of(*top));
    }
  }
  throw UnknownFieldName(
      fmt::format("no node has the DEF name '{}', and not one node on the top level has this type "
                  "or name",
                  step),
      std::string(step), std::move(names));
}

// The node that a path begins with, and how many steps name it.
std::pair<std::uint32_t, std::size_t> Fields::find_node(
    const std::vector<std::string_view>& steps) const {
  std::string path;
  std::uint32_t found = 0;
  std::size_t used = 0;
  for (; used < steps.size(); ++used) {
    const std::string_view name = steps[used].substr(0, steps[used].find('['));
    const auto is_field = [&](int level) {
      return (level == 0 || node(found).instance != nullptr) &&
             wbt::find_field(node(found), level, name);
    };
    path += (used == 0 ? "" : ".") + std::string(steps[used]);
    const bool is_name = found == 0 || (!is_field(1) && !is_field(0));
    const std::uint32_t next = is_name && !name.empty() ? editor_.tree().find_def(path) : 0;
    if (next == 0) {
      break;
    }
    found = next;
  }
  return found != 0 ? std::pair{found, used} : std::pair{top_node(steps.front()), std::size_t{1}};
}

FieldPlace Fields::find(std::string_view path) {
  editor_.follow_simulation();
  const std::vector<std::string_view> steps = steps_of(path);
  auto [id, used] = find_node(steps);
  if (used == steps.size()) {
    throw UnknownFieldName(fmt::format("'{}' is a node: name one of its fields too", path), "",
                           names_of(id));
  }
  FieldPlace place = find_field(id, steps[used]);
  while (++used < steps.size()) {
    place = find_field(node_in(place, steps[used - 1]), steps[used]);
  }
  return place;
}

std::vector<std::string> Fields::names(std::string_view path) {
  editor_.follow_simulation();
  const std::vector<std::string_view> steps = steps_of(path);
  auto [id, used] = find_node(steps);
  for (; used < steps.size(); ++used) {
    id = node_in(find_field(id, steps[used]), steps[used]);
  }
  return names_of(id);
}

Value Fields::get(const FieldPlace& place) {
  const auto live = editor_.live_value(node(place.node), place.key);
  const Value whole = live ? *live : *wbt::field_view(node(place.node), place.key)->value;
  if (!place.item) {
    return whole;
  }
  return std::visit(
      [&place](const auto& list) -> Value {
        if constexpr (requires {
                        typename std::decay_t<decltype(list)>::allocator_type;
                        list[0];
                      }) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(list)>, std::string>) {
            const std::size_t index = checked_index(*place.item, list.size(), false);
            return typename std::decay_t<decltype(list)>::value_type(list[index]);
          }
        }
        throw SupervisorRequestError("this field is no list");
      },
      whole);
}

void Fields::set(const FieldPlace& place, Value value) {
  change(place, std::move(value), Internals::Refused);
}

void Fields::set(std::uint32_t id, std::string_view name, double value) {
  editor_.follow_simulation();
  const auto key = wbt::find_field(node(id), 0, name);
  if (!key) {
    throw SupervisorRequestError(
        fmt::format("a {} node has no field '{}'", node(id).type->name, name));
  }
  change({id, *key, wbt::ValueType::SFFloat, {}}, value, Internals::Accepted);
}

void Fields::change(const FieldPlace& place, Value value, Internals internals) {
  if (wbt::holds_nodes(place.type)) {
    throw SupervisorRequestError("a field that holds nodes cannot be set: set fields of its nodes");
  }
  if (!std::visit([](const auto& checked) { return all_finite(checked); }, value)) {
    throw SupervisorRequestError("a number must be finite");
  }
  FieldPlace whole = place;
  whole.item.reset();
  Value before = get(whole);
  if (place.item) {
    Value list = before;
    change_item(list, Change::Set, *place.item, value);
    value = std::move(list);
  }
  // Checks of the world replace some bad values by others, with a notice.
  std::string notices;
  const auto set_to = [&](Value to) {
    Notices collecting([&notices](std::string_view text) { notices += std::string(text) + '\n'; });
    const ScopedSwap swapped(core_of(simulation_).settings.notices, collecting);
    OwnedResponse response;
    editor_.set_whole(place.node, place.key, std::move(to), internals, response);
    editor_.settle();
    notices += response.text;
  };
  set_to(value);
  if (!editor_.live_value(node(place.node), place.key) && get(whole) != value) {
    const std::string why = std::exchange(notices, {});
    set_to(std::move(before));
    throw SupervisorRequestError("this value is not accepted: " + why);
  }
  if (!notices.empty()) {
    core_of(simulation_).settings.notices.report(notices);
  }
}

}  // namespace servosim
