// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree_rewrite.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "wbt/eras/legacy.h"
#include "wbt/reading.h"
#include "wbt/schema/node_types.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

class Rewriter {
 public:
  explicit Rewriter(const Edits& edits) : edits_(edits) {}

  // The node as it becomes, or nothing if it is taken out.
  std::optional<NodePtr> rewrite(const NodePtr& node) {
    if (!node) {
      return node;
    }
    if (const auto known = done_.find(node.get()); known != done_.end()) {
      return known->second;
    }
    if (const auto found = edits_.replaced.find(node->id); found != edits_.replaced.end()) {
      return found->second ? std::optional(found->second) : std::nullopt;
    }
    NodePtr result = change(node);
    done_[node.get()] = result;
    return result;
  }

  std::vector<NodePtr> rewrite(const std::vector<NodePtr>& nodes) {
    std::vector<NodePtr> result;
    for (const NodePtr& node : nodes) {
      if (auto changed = rewrite(node)) {
        result.push_back(std::move(*changed));
      }
    }
    return result;
  }

 private:
  NodePtr change(const NodePtr& node) {
    std::shared_ptr<Node> copy;
    const auto mutable_copy = [&]() -> Node& {
      copy = copy ? copy : std::make_shared<Node>(*node);
      return *copy;
    };
    for (std::size_t i = 0; i < node->fields.size(); ++i) {
      if (auto value = changed(node->fields[i].value)) {
        mutable_copy().fields[i].value = std::move(*value);
      }
    }
    if (node->instance) {
      if (auto instance = changed(*node->instance)) {
        mutable_copy().instance = std::move(instance);
      }
    }
    if (const auto found = edits_.changes.find(node->id); found != edits_.changes.end()) {
      found->second(mutable_copy());
    }
    if (!copy) {
      return node;
    }
    measure(*copy);
    return copy;
  }

  // Nothing if it stays the same.
  std::optional<Value> changed(const Value& value) {
    if (const auto* node = std::get_if<NodePtr>(&value)) {
      auto result = rewrite(*node);
      return result && *result == *node ? std::nullopt
                                        : std::optional<Value>(result.value_or(NodePtr{}));
    }
    if (const auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      auto result = rewrite(*list);
      return result == *list ? std::nullopt : std::optional<Value>(std::move(result));
    }
    return std::nullopt;
  }

  std::shared_ptr<const ProtoInstance> changed(const ProtoInstance& instance) {
    std::shared_ptr<ProtoInstance> copy;
    for (std::size_t i = 0; i < instance.given.size(); ++i) {
      auto value = instance.given[i] ? changed(*instance.given[i]) : std::nullopt;
      if (value) {
        copy = copy ? copy : std::make_shared<ProtoInstance>(instance);
        copy->given[i] = std::move(*value);
      }
    }
    if (instance.base) {
      if (auto base = changed(*instance.base)) {
        copy = copy ? copy : std::make_shared<ProtoInstance>(instance);
        copy->base = std::move(base);
      }
    }
    return copy;
  }

  static void measure(Node& node) {
    std::uint64_t expanded = 1;
    node.height = 1;
    const auto add = [&](const NodePtr& child) {
      node.height = std::max(node.height, child->height + 1);
      expanded += child->expanded;
    };
    for_each_child(node, add);
    if (node.height > kMaxNodeDepth) {
      throw std::length_error("the nodes would nest too deep.");
    }
    if (expanded > kMaxNodes) {
      throw std::length_error("the world would have too many nodes.");
    }
    node.expanded = static_cast<std::uint32_t>(expanded);
  }

  const Edits& edits_;
  std::unordered_map<const Node*, NodePtr> done_;
};

// Which of some nodes stand nowhere in a tree, neither in a field nor as a value of a PROTO
// instance.
class Missing {
 public:
  Missing(const WorldFile& world, const std::map<std::uint32_t, NodePtr>& nodes) {
    for (const auto& [id, node] : nodes) {
      ids_.insert(id);
    }
    // Most come at the end.
    std::for_each(world.nodes.rbegin(), world.nodes.rend(),
                  [this](const NodePtr& node) { look(node); });
  }
  bool contains(std::uint32_t id) const { return ids_.contains(id); }

 private:
  void look(const NodePtr& node) {
    if (ids_.empty() || !seen_.insert(node.get()).second) {
      return;
    }
    ids_.erase(node->id);
    const auto below = [this](const NodePtr& child) { look(child); };
    for_each_child(*node, below);
    for (const auto* i = node->instance.get(); i != nullptr; i = i->base.get()) {
      for (const auto& value : i->given) {
        if (value) {
          for_each_node(*value, below);
        }
      }
    }
  }

  std::unordered_set<std::uint32_t> ids_;
  std::unordered_set<const Node*> seen_;
};

void add_externs(std::vector<std::string>& known, const std::vector<std::string>& more) {
  std::unordered_set<std::string> names;
  for (const std::string& url : known) {
    names.emplace(extern_proto_name(url));
  }
  for (const std::string& url : more) {
    if (names.emplace(extern_proto_name(url)).second) {
      known.push_back(url);
    }
  }
}

}  // namespace

void Edits::change(std::uint32_t node, std::function<void(Node&)> how) {
  auto& known = changes[node];
  known = !known ? std::move(how) : [first = std::move(known), second = std::move(how)](Node& n) {
    first(n);
    second(n);
  };
}

WorldFile rewritten(const WorldFile& world, const Edits& edits) {
  WorldFile result = world;
  result.nodes = Rewriter(edits).rewrite(world.nodes);
  for (const std::uint32_t id : edits.removed) {
    const auto is_it = [id](const NodePtr& node) { return node->id == id; };
    const auto gone = std::find_if(result.nodes.begin(), result.nodes.end(), is_it);
    if (gone != result.nodes.end()) {
      result.nodes.erase(gone);
    }
  }
  for (const auto& [index, node] : edits.inserted) {
    const auto at = static_cast<std::ptrdiff_t>(std::min(index, result.nodes.size()));
    result.nodes.insert(result.nodes.begin() + at, node);
  }
  std::uint64_t expanded = 0;
  for (const NodePtr& node : result.nodes) {
    expanded += node->expanded;
  }
  if (expanded > kMaxNodes) {
    throw std::length_error("the world would have too many nodes.");
  }
  result.last_id = std::max(world.last_id, edits.last_id);
  add_externs(result.externs, edits.externs);
  for (const NodePtr& node : edits.imported) {
    result.imported.emplace(node->id, node);
  }
  if (!result.imported.empty()) {
    const Missing missing(result, result.imported);
    std::erase_if(result.imported, [&](const auto& node) { return missing.contains(node.first); });
  }
  return result;
}

void set_value(Node& node, const FieldType& field, Value value) {
  set_field(node, field, node.where_of(field.name), std::move(value));
}

void set_parameter(Node& node, std::uint32_t parameter, Value value, int level) {
  auto instance = std::make_shared<ProtoInstance>(*node.instance);
  ProtoInstance* where = instance.get();
  for (int i = level; i > 1; --i) {
    auto base = std::make_shared<ProtoInstance>(*where->base);
    ProtoInstance* const below = base.get();
    where->base = std::move(base);
    where = below;
  }
  where->given[parameter] = value;
  if (node.parameters && level == 1) {
    auto parameters = std::make_shared<std::vector<Parameter>>(*node.parameters);
    (*parameters)[parameter].value = std::move(value);
    node.parameters = std::move(parameters);
  }
  node.instance = std::move(instance);
}

namespace {

// Only nightly versions of R2023b, which called themselves so, gave Solids a scale: files may have
// it, and the release does not.
bool is_shown(const FieldType& field, const Version& version) {
  constexpr Version kR2023b{2023, 1, 0};
  const bool is_nightly = field.name == "scale" && field.until == kR2023b && version >= kR2023b;
  return field.lives_in(version) && !field.extension && !is_nightly;
}

}  // namespace

const ProtoInstance* instance_at(const Node& node, int level) {
  const ProtoInstance* instance = node.instance.get();
  for (; level > 1 && instance != nullptr; --level) {
    instance = instance->base.get();
  }
  return instance;
}

std::vector<FieldKey> field_keys(const Node& node, int level) {
  std::vector<FieldKey> keys;
  if (level > 0) {
    const ProtoInstance* instance = instance_at(node, level);
    const std::size_t count = instance != nullptr ? instance->interface->fields.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back({static_cast<std::uint8_t>(level), static_cast<std::uint16_t>(i)});
    }
    return keys;
  }
  for (const std::uint16_t i : field_order(*node.type)) {
    if (is_shown(*node.type->fields[i], node.version)) {
      keys.push_back({0, i});
    }
  }
  return keys;
}

std::optional<FieldKey> find_field(const Node& node, int level, std::string_view name) {
  if (level > 0) {
    const ProtoInstance* instance = instance_at(node, level);
    const std::size_t count = instance != nullptr ? instance->interface->fields.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (instance->interface->fields[i].name == name) {
        return FieldKey{static_cast<std::uint8_t>(level), static_cast<std::uint16_t>(i)};
      }
    }
    return std::nullopt;
  }
  const FieldType* row = node.type->field(name, node.version);
  const auto found = std::find(node.type->fields.begin(), node.type->fields.end(), row);
  if (row == nullptr || found == node.type->fields.end()) {
    return std::nullopt;
  }
  return FieldKey{0, static_cast<std::uint16_t>(found - node.type->fields.begin())};
}

std::optional<FieldView> field_view(const Node& node, FieldKey key) {
  if (key.level > 0) {
    const ProtoInstance* instance = instance_at(node, key.level);
    if (instance == nullptr || key.number >= instance->interface->fields.size()) {
      return std::nullopt;
    }
    const InterfaceField& field = instance->interface->fields[key.number];
    return FieldView{field.name, field.type, &instance->value(key.number)};
  }
  if (key.number >= node.type->fields.size()) {
    return std::nullopt;
  }
  const FieldType& row = *node.type->fields[key.number];
  const Field* field = node.find(row.name);
  const Value& value = field != nullptr ? field->value : default_value(row);
  ValueType type = row.type;
  if (type == ValueType::SFFloatOrVec3f) {
    type = std::holds_alternative<Vec3>(value) ? ValueType::SFVec3f : ValueType::SFFloat;
  }
  return FieldView{row.name, type, &value};
}

Targets targets_of(const Node& node, FieldKey key) {
  Targets targets;
  if (key.level == 0) {
    targets.fields.push_back({0, node.id, node.type->fields[key.number]});
    return targets;
  }
  const ProtoInstance* instance = instance_at(node, key.level);
  targets.again = instance->interface->fields[key.number].looked_at;
  for (const Connection& c : instance->connections) {
    if (c.parameter == key.number && c.field == nullptr) {
      targets.again = true;
    } else if (c.parameter == key.number) {
      targets.fields.push_back(c);
    }
  }
  return targets;
}

}  // namespace servosim::wbt
