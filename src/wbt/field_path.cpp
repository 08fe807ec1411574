// SPDX-License-Identifier: Apache-2.0
#include "wbt/field_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "servo_models/servo_fields.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

// A component of a path: `field` or `field[i]`.
struct Step {
  std::size_t at = 0;  // offset in the path
  std::string_view name;
  std::optional<std::int64_t> item;  // negative: counted from the end
};

Step step_of(std::string_view text, std::size_t at) {
  Step step{at, text.substr(0, text.find('[')), std::nullopt};
  if (step.name.size() == text.size()) {
    return step;
  }
  const std::string_view number = text.substr(step.name.size() + 1);
  if (number.ends_with(']')) {
    step.item = parse_number<std::int64_t>(number.substr(0, number.size() - 1));
  }
  if (!step.item) {
    throw FieldPathError(at + step.name.size(),
                         fmt::format("'{}' is no index; write [0] for the first item",
                                     shown(text.substr(step.name.size()))));
  }
  return step;
}

// Returns the name of a node in messages.
std::string called(const Node& node) {
  const std::string_view type = node.proto.name.empty() ? node.type->name : node.proto.name;
  return node.def.empty() ? std::string(type) : fmt::format("{} {}", node.def, type);
}

std::optional<FieldKey> key_of(const Node& node, std::string_view name) {
  const auto parameter = find_field(node, 1, name);
  return parameter ? parameter : find_field(node, 0, name);
}

std::vector<std::string> names_of_fields(const Node& node) {
  std::vector<std::string> names;
  for (const int level : {1, 0}) {
    for (const FieldKey key : field_keys(node, level)) {
      const std::string_view name = field_view(node, key)->name;
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.emplace_back(name);
      }
    }
  }
  return names;
}

std::size_t count_of(const Value& value) {
  return std::visit(
      [](const auto& v) -> std::size_t {
        if constexpr (requires { v.begin(); } &&
                      !std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
          return v.size();
        } else {
          return 0;
        }
      },
      value);
}

bool is_list(ValueType type) { return item_type(type) != type; }

std::span<const std::string_view> parts_of(ValueType type) {
  static constexpr std::array<std::string_view, 4> kTurn{"", "", "", "angle"};
  static constexpr std::array<std::string_view, 3> kPlace{"x", "y", "z"};
  static constexpr std::array<std::string_view, 3> kColor{"r", "g", "b"};
  switch (type) {
    case ValueType::SFVec2f:
      return std::span(kPlace).first(2);
    case ValueType::SFVec3f:
      return kPlace;
    case ValueType::SFColor:
      return kColor;
    case ValueType::SFRotation:
      return kTurn;
    default:
      return {};
  }
}

// Returns -1 if the step names no part.
int part_of(ValueType type, const Step& step) {
  const auto parts = parts_of(type);
  const auto found = std::find(parts.begin(), parts.end(), step.name);
  return found == parts.end() || step.name.empty() || step.item
             ? -1
             : static_cast<int>(found - parts.begin());
}

std::optional<std::size_t> checked_item(const Node& node, const FieldView& field,
                                        const Step& step) {
  if (!step.item) {
    return std::nullopt;
  }
  const std::size_t at = step.at + step.name.size();
  if (!is_list(field.type)) {
    throw FieldPathError(at, fmt::format("{}.{} is no list, but of type {}; remove the index",
                                         called(node), field.name, to_string(field.type)));
  }
  const auto count = static_cast<std::int64_t>(count_of(*field.value));
  const std::int64_t item = *step.item < 0 ? count + *step.item : *step.item;
  if (item < 0 || item >= count) {
    throw FieldPathError(at, count == 0 ? fmt::format("{}.{} is empty", called(node), field.name)
                                        : fmt::format("{}.{} has items [0] to [{}]", called(node),
                                                      field.name, count - 1));
  }
  return static_cast<std::size_t>(item);
}

// The nodes of one object, in the order in which a field is searched in them.
using Owner = std::vector<std::uint32_t>;

// A possible meaning of the beginning of a path, and the offset of the rest.
struct Beginning {
  std::vector<Owner> owners;
  std::size_t rest = 0;
};

// Returns the index in servo_fields() of the field that `drive.resistance` or the like behind a
// field `servo` names; -1 if the field is another one.
int servo_part(const Node& node, const FieldView& field, std::span<const Step> steps) {
  if (field.name != "servo" || field.type != ValueType::SFString || steps.size() < 2) {
    return -1;
  }
  if (std::get<std::string>(*field.value).empty()) {
    throw FieldPathError(
        steps[1].at,
        fmt::format("{}.servo is empty; set it to the name of a servo before", called(node)));
  }
  std::string key(steps[1].name);
  for (const Step& step : steps.subspan(2)) {
    key.append(".").append(step.name);
  }
  try {
    return static_cast<int>(&servo_field(key) - servo_fields().data());
  } catch (const std::invalid_argument& error) {
    throw FieldPathError(steps[1].at, error.what());
  }
}

enum class Several : std::uint8_t { Refused, Accepted };

class PathFinder {
 public:
  PathFinder(const Tree& tree, const std::vector<NamedNodes>& names, std::string_view path,
             Several several)
      : tree_(tree), names_(names), path_(path), several_(several) {
    for_each_outer([this](const Node& node) {
      ++types_[node.type->name];
      if (!node.proto.name.empty()) {
        ++types_[node.proto.name];
      }
    });
  }

  std::vector<FieldPlace> find() const {
    const std::size_t last_dot = path_.rfind('.');
    if (last_dot == std::string_view::npos || last_dot + 1 == path_.size()) {
      throw FieldPathError(path_.size(), fmt::format("'{}' names no field", shown(path_)), path_,
                           names_of_owners(), "; write OWNER.FIELD, such as WorldInfo.gravity");
    }
    return first_of<FieldPlace>(
        beginnings(last_dot), [this](const Beginning& beginning) { return places_of(beginning); });
  }

  std::vector<std::string> find_names() const {
    return first_of<std::string>(beginnings(path_.size()), [this](const Beginning& beginning) {
      const std::vector<Step> steps = steps_from(beginning.rest);
      std::vector<std::uint32_t> nodes;
      for (const Owner& owner : beginning.owners) {
        if (steps.empty()) {
          nodes.push_back(owner.front());
        } else {
          for (const std::uint32_t id : chosen(owner, steps.front())) {
            follow(id, steps,
                   [&](const Node& node, const FieldView& field, const Step& step, auto) {
                     const auto next = nodes_in(node, field, step);
                     nodes.insert(nodes.end(), next.begin(), next.end());
                   });
          }
        }
      }
      return names_of_fields(node(nodes.front()));
    });
  }

 private:
  const Node& node(std::uint32_t id) const { return *tree_.find(id)->node; }

  template <class Action>
  void for_each_outer(const Action& action) const {
    const auto visit = [&](const auto& self, const NodePtr& node) -> void {
      if (node == nullptr) {
        return;
      }
      const TreeEntry* const entry = tree_.find(node->id);
      if (entry->internal) {
        return;
      }
      action(*node);
      for_each_child(*node, [&](const NodePtr& child) { self(self, child); });
    };
    for (const NodePtr& node : tree_.file()->nodes) {
      visit(visit, node);
    }
  }

  // Returns the result of the first of `choices` that has one; otherwise throws the error of the
  // first.
  template <class Result, class Choice, class Action>
  static std::vector<Result> first_of(const std::vector<Choice>& choices, const Action& action) {
    std::optional<FieldPathError> first;
    for (const Choice& choice : choices) {
      try {
        return action(choice);
      } catch (const FieldPathError& error) {
        first = first ? first : std::optional(error);
      }
    }
    throw FieldPathError(*first);
  }

  // Applies the action to all `choices`; ignores those that fail unless all do.
  template <class Choice, class Action>
  static void each_of(const std::vector<Choice>& choices, const Action& action) {
    std::optional<FieldPathError> first;
    bool any = false;
    for (const Choice& choice : choices) {
      try {
        action(choice);
        any = true;
      } catch (const FieldPathError& error) {
        first = first ? first : std::optional(error);
      }
    }
    if (!any && first) {
      throw FieldPathError(*first);
    }
  }

  // ---- owners

  // Tries the longest beginning first. `found` gets the text before a dot, at most up to `end`, and
  // returns owners.
  template <class Found>
  void add_longest(std::vector<Beginning>& all, std::size_t end, const Found& found) const {
    for (std::size_t dot = end; dot != std::string_view::npos && dot > 0;
         dot = path_.rfind('.', dot - 1)) {
      if (std::vector<Owner> owners = found(path_.substr(0, dot)); !owners.empty()) {
        all.push_back({std::move(owners), dot + 1});
        return;
      }
    }
  }

  std::vector<Beginning> beginnings(std::size_t end) const {
    std::vector<Beginning> all;
    add_longest(all, end, [this](std::string_view text) {
      return owners_named([text](const std::string& name) { return name == text; });
    });
    add_longest(all, end, [this](std::string_view text) {
      const std::uint32_t def = tree_.find_def(text);
      return def != 0 ? std::vector<Owner>{{def}} : std::vector<Owner>{};
    });
    const std::string_view first = path_.substr(0, path_.find('.'));
    const auto type = types_.find(first);
    const bool is_type = type != types_.end();
    if (is_type && (type->second == 1 || several_ == Several::Accepted)) {
      all.push_back({owners_of_type(first), first.size() + 1});
    }
    add_longest(all, end, [this](std::string_view text) {
      return owners_named([this, text](const std::string& name) { return is_short(name, text); });
    });
    if (all.empty() && is_type) {
      throw FieldPathError(0, fmt::format("the world has {} nodes of type {}; name one by its DEF, "
                                          "or by the name that `servosim info` shows",
                                          type->second, shown(first)));
    }
    if (all.empty()) {
      refuse_owner(first);
    }
    return all;
  }

  // Returns whether `text` is the last part of a name or, if several are accepted, a pattern that
  // matches it.
  bool is_short(const std::string& name, std::string_view text) const {
    return several_ == Several::Accepted ? name_matches(name, std::string(text))
                                         : name.ends_with(text) && name.size() > text.size() &&
                                               name.find('/') + 1 == name.size() - text.size();
  }

  template <class Fits>
  std::vector<Owner> owners_named(const Fits& fits) const {
    std::vector<Owner> owners;
    // Several entries with one name are one object.
    std::map<std::string_view, std::size_t> numbers;
    for (const NamedNodes& named : names_) {
      if (!named.nodes.empty() && fits(named.name)) {
        const auto [at, is_new] = numbers.emplace(named.name, owners.size());
        if (is_new) {
          owners.emplace_back();
        }
        Owner& owner = owners[at->second];
        owner.insert(owner.end(), named.nodes.begin(), named.nodes.end());
      }
    }
    return owners;
  }

  std::vector<Owner> owners_of_type(std::string_view name) const {
    std::vector<Owner> owners;
    for_each_outer([&](const Node& node) {
      if (node.type->name == name || node.proto.name == name) {
        owners.push_back({node.id});
      }
    });
    return owners;
  }

  std::vector<std::string> names_of_owners() const {
    std::vector<std::string> all;
    for (const NamedNodes& named : names_) {
      all.push_back(named.name);
      all.push_back(named.name.substr(named.name.find('/') + 1));
    }
    for (std::string& def : tree_.defs()) {
      all.push_back(std::move(def));
    }
    for (const auto& [type, count] : types_) {
      all.emplace_back(type);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  [[noreturn]] void refuse_owner(std::string_view name) const {
    const std::size_t slash = path_.find('/');
    const std::string_view whole =
        slash == std::string_view::npos ? name : path_.substr(0, path_.find('.', slash));
    throw FieldPathError(
        0, fmt::format("'{}' is no robot, joint, device, DEF or type of this world", shown(whole)),
        whole, names_of_owners(), "; `servosim info` shows what it has");
  }

  // ---- fields

  std::vector<Step> steps_from(std::size_t at) const {
    std::vector<Step> steps;
    while (at <= path_.size()) {
      const std::size_t end = std::min(path_.find('.', at), path_.size());
      steps.push_back(step_of(path_.substr(at, end - at), at));
      at = end + 1;
    }
    return steps;
  }

  std::vector<FieldPlace> places_of(const Beginning& beginning) const {
    const std::vector<Step> steps = steps_from(beginning.rest);
    std::vector<FieldPlace> places;
    each_of(beginning.owners, [&](const Owner& owner) {
      for (const std::uint32_t id : chosen(owner, steps.front())) {
        follow(id, steps,
               [&](const Node& node, const FieldView& field, const Step& step, int part) {
                 const FieldKey key = *key_of(node, step.name);
                 check_there_is(node, key);
                 const FieldPlace place{node.id, key, checked_item(node, field, step), part};
                 if (std::find(places.begin(), places.end(), place) == places.end()) {
                   places.push_back(place);
                 }
               });
      }
    });
    if (several_ == Several::Refused && places.size() > 1) {
      throw FieldPathError(0, fmt::format("'{}' is the name of several things that have such a "
                                          "field; write ROBOT/NAME, or a DEF name",
                                          shown(path_.substr(0, beginning.rest - 1))));
    }
    return places;
  }

  // Calls action(node, field, step, part) at the end of the path.
  template <class Action>
  void follow(std::uint32_t id, std::span<const Step> steps, const Action& action) const {
    const Node& here = node(id);
    const Step& step = steps.front();
    const auto key = key_of(here, step.name);
    if (!key) {
      refuse_field({&here}, 1, step);
    }
    const FieldView field = *field_view(here, *key);
    checked_item(here, field, step);
    if (steps.size() == 1) {
      action(here, field, step, -1);
      return;
    }
    const ValueType type = step.item ? item_type(field.type) : field.type;
    if (const int part = part_of(type, steps[1]); part >= 0 && steps.size() == 2) {
      action(here, field, step, part);
      return;
    }
    if (const int part = servo_part(here, field, steps); part >= 0) {
      action(here, field, step, part);
      return;
    }
    each_of(nodes_in(here, field, step),
            [&](std::uint32_t next) { follow(next, steps.subspan(1), action); });
  }

  [[noreturn]] static void refuse_field(const std::vector<const Node*>& nodes, std::size_t told,
                                        const Step& step) {
    std::vector<std::string> fields;
    std::string owners;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto more = names_of_fields(*nodes[i]);
      fields.insert(fields.end(), more.begin(), more.end());
      owners += i >= told ? "" : (i == 0 ? "" : ", ") + called(*nodes[i]);
    }
    throw FieldPathError(
        step.at, fmt::format("{} has no field '{}'", owners, shown(step.name)), step.name,
        std::move(fields),
        fmt::format("; `servosim fields {}` lists them", nodes.front()->type->name));
  }

  // Returns the nodes of an owner, and the nodes in their fields that count as theirs.
  std::vector<const Node*> with_parts(const Owner& owner) const {
    std::vector<const Node*> nodes;
    const auto add = [&nodes](const Node& node) {
      if (std::find(nodes.begin(), nodes.end(), &node) == nodes.end()) {
        nodes.push_back(&node);
      }
    };
    for (const std::uint32_t id : owner) {
      add(node(id));
    }
    for (const std::uint32_t id : owner) {
      for (const std::string_view name : {"physics", "jointParameters", "device"}) {
        if (node(id).type->field(name, node(id).version) != nullptr) {
          for_each_node(node(id).value(name), [&](const NodePtr& child) { add(*child); });
        }
      }
    }
    return nodes;
  }

  // Returns the first node that has the field. Several nodes of the same type must not have it,
  // unless several are accepted.
  std::vector<std::uint32_t> chosen(const Owner& owner, const Step& step) const {
    const std::vector<const Node*> nodes = with_parts(owner);
    std::vector<std::uint32_t> found;
    const NodeType* type = nullptr;
    for (const Node* const node : nodes) {
      if (key_of(*node, step.name) && (type == nullptr || node->type == type)) {
        found.push_back(node->id);
        type = node->type;
      }
    }
    if (found.empty()) {
      refuse_field(nodes, std::min(owner.size(), nodes.size()), step);
    }
    if (several_ == Several::Refused && found.size() > 1) {
      throw FieldPathError(0, fmt::format("'{}' is the name of several {} nodes; give the one that "
                                          "you mean a DEF",
                                          shown(path_.substr(0, step.at - 1)), type->name));
    }
    return found;
  }

  static void check_there_is(const Node& node, FieldKey key) {
    const FieldType* const row = key.level == 0 ? node.type->fields[key.number] : nullptr;
    if (row != nullptr && row->removed_by(node.version)) {
      throw FieldPathError(0, fmt::format("{}.{} was dropped by Webots after {}", called(node),
                                          row->name, to_string(row->until)));
    }
  }

  std::vector<std::uint32_t> nodes_in(const Node& node, const FieldView& field,
                                      const Step& step) const {
    const std::size_t end = step.at + step.name.size();
    if (!holds_nodes(field.type)) {
      throw FieldPathError(end, fmt::format("{}.{} holds no node, but is of type {}", called(node),
                                            field.name, to_string(field.type)));
    }
    if (is_list(field.type) && !step.item && several_ == Several::Refused) {
      throw FieldPathError(end, fmt::format("{}.{} is a list; write {}[0] for its first node",
                                            called(node), field.name, field.name));
    }
    std::vector<std::uint32_t> nodes;
    const auto item = checked_item(node, field, step);
    std::size_t number = 0;
    for_each_node(*field.value, [&](const NodePtr& child) {
      if (!item || number++ == *item) {
        nodes.push_back(child->id);
      }
    });
    if (nodes.empty()) {
      throw FieldPathError(end, is_list(field.type)
                                    ? fmt::format("{}.{} is empty", called(node), field.name)
                                    : fmt::format("{}.{} is NULL; set it to a node before",
                                                  called(node), field.name));
    }
    return nodes;
  }

  const Tree& tree_;
  const std::vector<NamedNodes>& names_;
  std::string_view path_;
  Several several_;
  std::map<std::string_view, int, std::less<>> types_;
};

// Ignores blanks around a path.
template <class Action>
auto with_finder(const Tree& tree, const std::vector<NamedNodes>& names, std::string_view path,
                 Several several, const Action& action) {
  const std::string_view inner = trimmed(path);
  try {
    return action(PathFinder(tree, names, inner, several));
  } catch (FieldPathError& error) {
    error.at += static_cast<std::size_t>(inner.data() - path.data());
    throw;
  }
}

}  // namespace

FieldPlace find_field_place(const Tree& tree, const std::vector<NamedNodes>& names,
                            std::string_view path) {
  return with_finder(tree, names, path, Several::Refused,
                     [](const PathFinder& finder) { return finder.find().front(); });
}

std::vector<FieldPlace> find_field_places(const Tree& tree, const std::vector<NamedNodes>& names,
                                          std::string_view path) {
  return with_finder(tree, names, path, Several::Accepted,
                     [](const PathFinder& finder) { return finder.find(); });
}

std::vector<std::string> find_field_names(const Tree& tree, const std::vector<NamedNodes>& names,
                                          std::string_view path) {
  return with_finder(tree, names, path, Several::Refused,
                     [](const PathFinder& finder) { return finder.find_names(); });
}

}  // namespace servosim::wbt
