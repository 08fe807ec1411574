// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/files.h"
#include "wbt/parser.h"
#include "wbt/reading.h"
#include "wbt/tree_rewrite.h"

namespace servosim::wbt {

Tree::Tree(std::shared_ptr<const WorldFile> file) { set_file(std::move(file)); }

void Tree::set_file(std::shared_ptr<const WorldFile> file) {
  file_ = std::move(file);
  entries_.clear();
  order_.clear();
  for (const NodePtr& node : file_->nodes) {
    visit(node, {});
  }
}

void Tree::apply(const Edits& edits) {
  set_file(std::make_shared<WorldFile>(rewritten(*file_, edits)));
}

// Values of an instance come before its body, where they are met again.
void Tree::visit(const NodePtr& node, const Visit& how) {
  if (!node) {
    return;
  }
  TreeEntry& entry = entries_[node->id];
  const bool is_new = entry.node == nullptr;
  const bool now_in_body = !how.as_value && !entry.in_body;
  const bool now_collides = how.collides && !entry.collides;
  if (!is_new && !now_in_body && !now_collides) {
    return;
  }
  if (is_new) {
    entry.parent = how.parent;
    entry.internal = how.internal;
    entry.order = static_cast<std::uint32_t>(order_.size());
    order_.push_back(node->id);
  }
  if (is_new || now_in_body) {
    entry.node = node.get();
    entry.above = how.parent;
  }
  entry.in_body = entry.in_body || !how.as_value;
  entry.collides = entry.collides || how.collides;
  const bool internal = entry.internal;
  Visit below{node->id, internal, how.collides, true};
  for (const ProtoInstance* i = node->instance.get(); i != nullptr; i = i->base.get()) {
    for (const auto& value : i->given) {
      if (value) {
        visit_value(*value, below);
      }
    }
    below.internal = true;  // what a derived PROTO gives to its base
  }
  for (const Field& field : node->fields) {
    visit_value(field.value, {node->id, internal || node->instance != nullptr,
                              how.collides || field.type->name == "boundingObject", how.as_value});
  }
}

void Tree::visit_value(const Value& value, const Visit& how) {
  for_each_node(value, [&](const NodePtr& node) { visit(node, how); });
}

const TreeEntry* Tree::find(std::uint32_t id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

bool Tree::is_below(std::uint32_t id, std::uint32_t ancestor) const {
  while (id != ancestor && id != 0) {
    id = entries_.at(id).parent;
  }
  return id == ancestor;
}

// Whether the DEF names of `path` are met, from the last one up, on the way from `id` to `top`.
bool Tree::matches(std::uint32_t id, std::string_view path, std::uint32_t top) const {
  const auto last_of = [&path] { return path.substr(path.rfind('.') + 1); };
  if (last_of().empty() || entries_.at(id).node->def != last_of()) {
    return false;
  }
  while (true) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) {
      return true;
    }
    path = path.substr(0, dot);
    do {
      id = entries_.at(id).parent;
      if (id == 0 || id == top) {
        return false;
      }
    } while (entries_.at(id).node->def != last_of());
  }
}

std::uint32_t Tree::find_def(std::string_view path) const {
  for (const std::uint32_t id : order_) {
    if (!entries_.at(id).internal && matches(id, path, 0)) {
      return id;
    }
  }
  return 0;
}

std::uint32_t Tree::find_def_in(std::uint32_t proto, std::string_view path) const {
  for (const std::uint32_t id : order_) {
    if (id != proto && entries_.at(id).internal && is_below(id, proto) &&
        matches(id, path, proto)) {
      return id;
    }
  }
  return 0;
}

namespace {

void prepare(Reading& reading, const WorldFile& world) {
  reading.world = world.path;
  reading.project = world.project;
  reading.coordinate_system = world.version < kR2020b ? "NUE" : "ENU";
  for (const NodePtr& node : world.nodes) {
    if (node->type->name == "WorldInfo" && world.version >= kR2020b) {
      reading.coordinate_system = node->string("coordinateSystem");
    }
  }
  reading.first_id = world.last_id;
}

Source source_for(const WorldFile& world, std::string text, Diagnostics& diagnostics) {
  Source source;
  source.file = diagnostics.sources().add("imported node", std::move(text));
  source.text = diagnostics.sources().text(source.file);
  source.version = header_version(source.text).value_or(world.version);
  source.folder = std::filesystem::path(world.path).parent_path().string();
  source.externs = world.externs;
  return source;
}

// Pairs the nodes of an old and a new body that stand at the same place.
class Heirs {
 public:
  void pair(const NodePtr& old, const NodePtr& heir) {
    if (!old || !heir || old->type != heir->type || old->id == heir->id ||
        !taken_.insert(old->id).second || !ids_.emplace(heir->id, old->id).second) {
      return;
    }
    for (const Field& field : heir->fields) {
      const Field* before = old->find(field.type->name);
      if (before == nullptr) {
        continue;
      }
      const auto* a = std::get_if<NodePtr>(&before->value);
      const auto* b = std::get_if<NodePtr>(&field.value);
      const auto* as = std::get_if<std::vector<NodePtr>>(&before->value);
      const auto* bs = std::get_if<std::vector<NodePtr>>(&field.value);
      if (a != nullptr && b != nullptr) {
        pair(*a, *b);
      } else if (as != nullptr && bs != nullptr) {
        for (std::size_t i = 0; i < std::min(as->size(), bs->size()); ++i) {
          pair((*as)[i], (*bs)[i]);
        }
      }
    }
  }

  // Gives the numbers over.
  NodePtr renumbered(const NodePtr& root) {
    WorldFile holder;
    holder.nodes = {root};
    Edits edits;
    for (const auto& [heir, old] : ids_) {
      edits.change(heir, [this, old = old](Node& node) {
        node.id = old;
        if (node.instance) {
          node.instance = renumbered(*node.instance);
        }
      });
    }
    return rewritten(holder, edits).nodes.front();
  }

 private:
  std::shared_ptr<const ProtoInstance> renumbered(const ProtoInstance& instance) const {
    auto made = std::make_shared<ProtoInstance>(instance);
    for (Connection& c : made->connections) {
      const auto found = ids_.find(c.node);
      c.node = found != ids_.end() ? found->second : c.node;
    }
    if (instance.base) {
      made->base = renumbered(*instance.base);
    }
    return made;
  }

  std::unordered_map<std::uint32_t, std::uint32_t> ids_;  // new → old
  std::unordered_set<std::uint32_t> taken_;
};

}  // namespace

std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics) {
  Source source = source_for(world, std::move(text), diagnostics);
  Reading reading(diagnostics, ProtoFinder(world.project, world.proto_paths));
  prepare(reading, world);
  std::vector<std::string> importable;
  std::vector<NodePtr> nodes =
      NodeParser(reading, source).read_top_level(source.externs, importable);
  world.last_id += static_cast<std::uint32_t>(reading.nodes);
  if (reading.failed) {
    nodes.clear();
  }
  world.externs = std::move(source.externs);
  return nodes;
}

NodePtr instantiate_again(WorldFile& world, const Node& root,
                          std::vector<std::optional<Value>> given, Diagnostics& diagnostics) {
  const Source source = source_for(world, "", diagnostics);
  Reading reading(diagnostics, ProtoFinder(world.project, world.proto_paths));
  prepare(reading, world);
  const Proto* proto = find_proto(reading, *root.instance->interface);
  if (proto == nullptr || !proto->defect.empty() || proto->parameters.size() != given.size()) {
    return {};
  }
  NodePtr made = NodeParser(reading, source).instantiate(*proto, std::move(given));
  world.last_id += static_cast<std::uint32_t>(reading.nodes);
  if (!made || reading.failed) {
    return {};
  }
  owned(made).def = root.def;
  Heirs heirs;
  heirs.pair(std::make_shared<Node>(root), made);
  return heirs.renumbered(made);
}

std::vector<ParameterPlace> parameters_of(const Tree& tree, std::uint32_t node,
                                          const FieldType& field) {
  std::vector<ParameterPlace> places;
  for (std::uint32_t id = node; id != 0; id = tree.find(id)->parent) {
    int level = 1;
    const ProtoInstance* instance = tree.find(id)->node->instance.get();
    for (; instance != nullptr; instance = instance->base.get(), ++level) {
      for (const Connection& c : instance->connections) {
        if (c.node == node && c.field != nullptr && c.field->name == field.name) {
          places.push_back({id, level, c.parameter, instance->interface->fields[c.parameter].type});
        }
      }
    }
  }
  return places;
}

}  // namespace servosim::wbt
