// SPDX-License-Identifier: Apache-2.0
#include "wbt/edits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "wbt/proto/proto.h"
#include "wbt/proto/proto_finder.h"
#include "wbt/tree.h"

namespace servosim::wbt {

namespace {

class Rewriter {
 public:
  explicit Rewriter(const Edits& edits) : edits_(edits) {}

  // Returns the node after the edits; nothing if it is removed.
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
    if (node->proto.instance) {
      if (auto instance = changed(*node->proto.instance)) {
        mutable_copy().proto.instance = std::move(instance);
      }
    }
    if (const auto found = edits_.changes.find(node->id); found != edits_.changes.end()) {
      found->second.how(mutable_copy());
    }
    for (const NodesChange& list : edits_.node_lists) {
      if (list.node == node->id) {
        change_nodes(mutable_copy(), list);
      }
    }
    if (!copy) {
      return node;
    }
    measure(*copy);
    return copy;
  }

  // Returns nothing if the value stays the same.
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

  static void change_nodes(Node& node, const NodesChange& change) {
    Value value = *field_view(node, change.key)->value;
    change.apply_to(value);
    if (change.key.level > 0) {
      set_parameter(node, change.key.number, std::move(value), change.key.level);
    } else {
      set_value(node, *node.type->fields[change.key.number], std::move(value));
    }
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

// Determines which of some nodes are absent from a tree, both from fields and from values of PROTO
// instances.
class AbsentNodes {
 public:
  AbsentNodes(const WorldFile& world, const std::map<std::uint32_t, NodePtr>& nodes) {
    for (const auto& [id, node] : nodes) {
      ids_.insert(id);
    }
    // The search begins at the end, where most of these nodes are.
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
    for (const auto* i = node->proto.instance.get(); i != nullptr; i = i->base.get()) {
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

}  // namespace

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

void Edits::add(std::uint32_t node, NodeChange change) {
  auto [at, is_new] = changes.try_emplace(node);
  NodeChange& known = at->second;
  known.how = is_new ? std::move(change.how)
                     : [first = std::move(known.how), second = std::move(change.how)](Node& n) {
                         first(n);
                         second(n);
                       };
  known.keeps_nodes = known.keeps_nodes && change.keeps_nodes;
}

std::size_t NodesChange::find_removed(const std::vector<NodePtr>& list) const {
  const auto size = static_cast<std::int64_t>(list.size());
  const std::int64_t expected = index + (index < 0 ? size : 0);
  const auto is_it = [this](const NodePtr& item) { return item && item->id == removed; };
  if (expected >= 0 && expected < size && is_it(list[static_cast<std::size_t>(expected)])) {
    return static_cast<std::size_t>(expected);
  }
  return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), is_it) - list.begin());
}

std::size_t NodesChange::place_in(std::size_t size) const {
  const auto end = static_cast<std::ptrdiff_t>(size);
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(index < 0 ? end + 1 + index : index, 0, end));
}

std::size_t NodesChange::apply_to(std::vector<NodePtr>& list) const {
  if (removed != 0) {
    const std::size_t at = find_removed(list);
    if (at < list.size()) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return at;
  }
  const std::size_t at = place_in(list.size());
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), inserted.begin(), inserted.end());
  return at;
}

void NodesChange::apply_to(Value& value) const {
  if (auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
    apply_to(*list);
  } else {
    value = inserted.empty() ? NodePtr() : inserted.front();
  }
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
    const AbsentNodes absent(result, result.imported);
    std::erase_if(result.imported, [&](const auto& node) { return absent.contains(node.first); });
  }
  return result;
}

}  // namespace servosim::wbt
