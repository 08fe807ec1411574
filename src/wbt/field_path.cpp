// SPDX-License-Identifier: Apache-2.0
#include "wbt/field_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "wbt/eras/legacy.h"
#include "wbt/lexer.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

// `field` or `field[i]` of a path.
struct Step {
  std::size_t at = 0;  // in the path
  std::string_view name;
  std::optional<std::size_t> item;
};

Step step_of(std::string_view text, std::size_t at) {
  Step step{at, text.substr(0, text.find('[')), std::nullopt};
  if (step.name.size() == text.size()) {
    return step;
  }
  const std::string_view number = text.substr(step.name.size() + 1);
  std::size_t item = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), item);
  if (error != std::errc() || std::string_view(end, number.data() + number.size()) != "]") {
    throw FieldPathError(at + step.name.size(),
                         fmt::format("'{}' is no index; write [0] for the first item",
                                     shown(text.substr(step.name.size()))));
  }
  step.item = item;
  return step;
}

// What is called `name` in messages.
std::string called(const Node& node) {
  const std::string_view type = node.proto_name.empty() ? node.type->name : node.proto_name;
  return node.def.empty() ? std::string(type) : fmt::format("{} {}", node.def, type);
}

std::optional<FieldKey> key_of(const Node& node, std::string_view name) {
  const auto parameter = find_field(node, 1, name);
  return parameter ? parameter : find_field(node, 0, name);
}

std::vector<std::string_view> names_of_fields(const Node& node) {
  std::vector<std::string_view> names;
  for (const int level : {1, 0}) {
    for (const FieldKey key : field_keys(node, level)) {
      names.push_back(field_view(node, key)->name);
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

ValueType item_type(ValueType list) {
  switch (list) {
    case ValueType::MFBool:
      return ValueType::SFBool;
    case ValueType::MFInt32:
      return ValueType::SFInt32;
    case ValueType::MFFloat:
      return ValueType::SFFloat;
    case ValueType::MFString:
      return ValueType::SFString;
    case ValueType::MFVec2f:
      return ValueType::SFVec2f;
    case ValueType::MFVec3f:
      return ValueType::SFVec3f;
    case ValueType::MFColor:
      return ValueType::SFColor;
    case ValueType::MFRotation:
      return ValueType::SFRotation;
    case ValueType::MFNode:
      return ValueType::SFNode;
    default:
      return list;
  }
}

bool is_list(ValueType type) { return item_type(type) != type; }

void check_item(const Node& node, const FieldView& field, const Step& step) {
  const std::size_t at = step.at + step.name.size();
  if (!step.item) {
    return;
  }
  if (!is_list(field.type)) {
    throw FieldPathError(at, fmt::format("{}.{} is no list, but of type {}; remove the index",
                                         called(node), field.name, to_string(field.type)));
  }
  if (const std::size_t count = count_of(*field.value); *step.item >= count) {
    throw FieldPathError(at, count == 0 ? fmt::format("{}.{} is empty", called(node), field.name)
                                        : fmt::format("{}.{} has items [0] to [{}]", called(node),
                                                      field.name, count - 1));
  }
}

// The nodes that the beginning of a path names, and what follows.
struct Owner {
  std::vector<std::uint32_t> nodes;
  std::size_t rest = 0;  // where in the path
};

class PathFinder {
 public:
  PathFinder(const Tree& tree, const std::vector<NamedNodes>& names, std::string_view path)
      : tree_(tree), names_(names), path_(path) {
    for_each_outer([this](const Node& node) {
      ++types_[node.type->name];
      if (!node.proto_name.empty()) {
        ++types_[node.proto_name];
      }
      if (!node.def.empty()) {
        defs_.insert(node.def);
      }
    });
  }

  FieldPlace find() const {
    const Owner owner = find_owner();
    std::vector<Step> steps;
    for (std::size_t at = owner.rest; at <= path_.size();) {
      const std::size_t end = std::min(path_.find('.', at), path_.size());
      steps.push_back(step_of(path_.substr(at, end - at), at));
      at = end + 1;
    }
    std::uint32_t node = chosen(owner.nodes, steps.front());
    for (std::size_t i = 0;; ++i) {
      const Node& here = *tree_.find(node)->node;
      const auto key = key_of(here, steps[i].name);
      if (!key) {
        refuse_field({&here}, steps[i]);
      }
      const FieldView field = *field_view(here, *key);
      check_item(here, field, steps[i]);
      if (i + 1 == steps.size()) {
        check_there_is(here, *key);
        return {node, *key, steps[i].item};
      }
      node = node_in(here, field, steps[i]);
    }
  }

 private:
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

  // The longest name or DEF path that the path begins with; else a type.
  Owner find_owner() const {
    Owner found;
    const std::size_t last_dot = path_.rfind('.');
    if (last_dot == std::string_view::npos || last_dot + 1 == path_.size()) {
      throw FieldPathError(path_.size(),
                           fmt::format("'{}' names no field; write OWNER.FIELD, such as "
                                       "WorldInfo.gravity",
                                       shown(path_)));
    }
    for (const NamedNodes& named : names_) {
      if (path_.starts_with(named.name) && path_.substr(named.name.size()).starts_with('.')) {
        const std::size_t rest = named.name.size() + 1;
        if (rest > found.rest) {
          found = {{}, rest};
        }
        if (rest == found.rest) {
          found.nodes.insert(found.nodes.end(), named.nodes.begin(), named.nodes.end());
        }
      }
    }
    for (std::size_t dot = last_dot;
         found.nodes.empty() && dot != std::string_view::npos && dot > 0;
         dot = path_.rfind('.', dot - 1)) {
      if (const std::uint32_t def = tree_.find_def(path_.substr(0, dot)); def != 0) {
        return {{def}, dot + 1};
      }
    }
    return found.nodes.empty() ? owner_by_type() : found;
  }

  Owner owner_by_type() const {
    const std::string_view name = path_.substr(0, path_.find('.'));
    const auto known = types_.find(name);
    if (known == types_.end()) {
      refuse_owner(name);
    }
    if (known->second > 1) {
      throw FieldPathError(0, fmt::format("the world has {} nodes of type {}; name one by its DEF, "
                                          "or by the name that `servosim info` shows",
                                          known->second, shown(name)));
    }
    Owner owner{{}, name.size() + 1};
    for_each_outer([&](const Node& node) {
      if (node.type->name == name || node.proto_name == name) {
        owner.nodes = {node.id};
      }
    });
    return owner;
  }

  [[noreturn]] void refuse_owner(std::string_view name) const {
    const std::size_t slash = path_.find('/');
    const std::string_view whole =
        slash == std::string_view::npos ? name : path_.substr(0, path_.find('.', slash));
    std::vector<std::string_view> all;
    for (const NamedNodes& named : names_) {
      all.push_back(named.name);
    }
    all.insert(all.end(), defs_.begin(), defs_.end());
    for (const auto& [type, count] : types_) {
      all.push_back(type);
    }
    const std::string close = did_you_mean(whole, all);
    throw FieldPathError(
        0, fmt::format("'{}' is no robot, joint, device, DEF or type of this world{}", shown(whole),
                       close.empty() ? "; `servosim info` shows what it has" : close));
  }

  [[noreturn]] static void refuse_field(const std::vector<const Node*>& nodes, const Step& step) {
    std::vector<std::string_view> fields;
    std::string owners;
    for (const Node* const node : nodes) {
      const auto more = names_of_fields(*node);
      fields.insert(fields.end(), more.begin(), more.end());
      owners += (owners.empty() ? "" : ", ") + called(*node);
    }
    const std::string close = did_you_mean(step.name, fields);
    throw FieldPathError(
        step.at, fmt::format("{} has no field '{}'{}", owners, shown(step.name),
                             close.empty() ? fmt::format("; `servosim fields {}` lists them",
                                                         nodes.front()->type->name)
                                           : close));
  }

  // The first node that has the field. Others that a name has, too, must not have the same one.
  std::uint32_t chosen(const std::vector<std::uint32_t>& nodes, const Step& step) const {
    std::vector<const Node*> all;
    const Node* found = nullptr;
    for (const std::uint32_t id : nodes) {
      const Node* const node = tree_.find(id)->node;
      const bool is_known = std::find(all.begin(), all.end(), node) != all.end();
      if (!is_known && key_of(*node, step.name)) {
        if (found != nullptr && found->type == node->type) {
          throw FieldPathError(
              0, fmt::format("'{}' is the name of several {} nodes; give the one that you mean a "
                             "DEF",
                             shown(path_.substr(0, step.at - 1)), node->type->name));
        }
        found = found != nullptr ? found : node;
      }
      if (!is_known) {
        all.push_back(node);
      }
    }
    if (found == nullptr) {
      refuse_field(all, step);
    }
    return found->id;
  }

  static void check_there_is(const Node& node, FieldKey key) {
    const FieldType* const row = key.level == 0 ? node.type->fields[key.number] : nullptr;
    if (row != nullptr && row->removed_by(node.version)) {
      throw FieldPathError(0, fmt::format("{}.{} was dropped by Webots after {}", called(node),
                                          row->name, to_string(row->until)));
    }
  }

  static std::uint32_t node_in(const Node& node, const FieldView& field, const Step& step) {
    const std::size_t end = step.at + step.name.size();
    if (!holds_nodes(field.type)) {
      throw FieldPathError(end, fmt::format("{}.{} holds no node, but is of type {}", called(node),
                                            field.name, to_string(field.type)));
    }
    if (is_list(field.type) && !step.item) {
      throw FieldPathError(end, fmt::format("{}.{} is a list; write {}[0] for its first node",
                                            called(node), field.name, field.name));
    }
    const NodePtr& next = step.item ? std::get<std::vector<NodePtr>>(*field.value)[*step.item]
                                    : std::get<NodePtr>(*field.value);
    if (next == nullptr) {
      throw FieldPathError(
          end, fmt::format("{}.{} is NULL; set it to a node before", called(node), field.name));
    }
    return next->id;
  }

  const Tree& tree_;
  const std::vector<NamedNodes>& names_;
  std::string_view path_;
  std::map<std::string_view, int, std::less<>> types_;
  std::set<std::string_view> defs_;
};

// The value that the whole field gets.
Value whole_value(const FieldView& field, const FieldPlace& place, Value value) {
  if (!place.item) {
    return value;
  }
  Value whole = *field.value;
  std::visit(
      [&](auto& list) {
        using List = std::decay_t<decltype(list)>;
        if constexpr (requires { list.begin(); } && !std::is_same_v<List, std::string>) {
          list[*place.item] = std::get<typename List::value_type>(std::move(value));
        }
      },
      whole);
  return whole;
}

}  // namespace

FieldPlace find_field_place(const Tree& tree, const std::vector<NamedNodes>& names,
                            std::string_view path) {
  const std::size_t blanks = std::min(path.find_first_not_of(" \t"), path.size());
  const std::size_t end = path.find_last_not_of(" \t") + 1;
  try {
    return PathFinder(tree, names, path.substr(blanks, std::max(end, blanks) - blanks)).find();
  } catch (FieldPathError& error) {
    error.at += blanks;
    throw;
  }
}

ValueType type_at(const Tree& tree, const FieldPlace& place) {
  const ValueType type = field_view(*tree.find(place.node)->node, place.key)->type;
  return place.item ? item_type(type) : type;
}

Value read_flat_value(ValueType type, std::string_view text) {
  Lexer lexer(text);
  if (type == ValueType::SFString && lexer.peek().kind != TokenKind::String &&
      lexer.peek().kind != TokenKind::UnclosedString) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
  }
  std::size_t room = std::size_t{1} << 20;
  const Token first = lexer.peek();
  ValueReader reader(lexer, room);
  auto value = reader.read(type);
  if (!value && room == 0) {
    throw FieldPathError(first.offset, "the list is too long");
  }
  if (!value) {
    throw FieldPathError(first.offset, reader.problem());
  }
  if (lexer.peek().kind != TokenKind::End) {
    throw FieldPathError(lexer.peek().offset,
                         fmt::format("expected the end of the value, which is of type {}, found {}",
                                     to_string(type), lexer.peek().shown()));
  }
  return std::move(*value);
}

bool makes_anew(const Tree& tree, const FieldPlace& place) {
  return targets_of(*tree.find(place.node)->node, place.key).needs_new_instance;
}

Edits edits_for(const Tree& tree, const FieldPlace& place, Value value, SourceLocation where,
                Diagnostics& diagnostics) {
  const Node& node = *tree.find(place.node)->node;
  const FieldView field = *field_view(node, place.key);
  value = whole_value(field, place, std::move(value));
  Edits edits;
  const Targets targets = targets_of(node, place.key);
  if (targets.needs_new_instance) {
    WorldFile world = *tree.file();
    auto given = node.instance->given;
    given[place.key.number] = std::move(value);
    NodePtr made = reinstantiate(world, node, std::move(given), diagnostics);
    if (!made) {
      throw FieldPathError(
          0, fmt::format("the PROTO {} cannot be made with this value", node.proto_name));
    }
    edits.last_id = world.last_id;
    edits.replaced[place.node] = std::move(made);
    return edits;
  }
  if (place.key.level > 0) {
    edits.change(place.node,
                 [number = place.key.number, value](Node& n) { set_parameter(n, number, value); });
  }
  for (const Connection& target : targets.fields) {
    const TreeEntry* const entry = tree.find(target.node);
    auto fitting = converted(value, field.type, target.field->type);
    if (entry == nullptr || !fitting) {
      continue;
    }
    for (const ParameterPlace& p : parameters_of(tree, target.node, *target.field)) {
      auto of_parameter = converted(value, field.type, p.type);
      if (of_parameter && (p.node != place.node || p.level > place.key.level)) {
        edits.change(p.node, [p, v = std::move(*of_parameter)](Node& n) {
          set_parameter(n, p.number, v, p.level);
        });
      }
    }
    edits.change(target.node, [row = target.field, where, v = std::move(*fitting)](Node& n) {
      set_field(n, *row, where, v);
    });
  }
  return edits;
}

}  // namespace servosim::wbt
