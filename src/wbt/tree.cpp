// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "base/files.h"
#include "wbt/eras/legacy.h"
#include "wbt/parser.h"
#include "wbt/proto/proto.h"
#include "wbt/schema/node_types.h"
#include "wbt/values.h"

namespace servosim::wbt {

Tree::Tree(std::shared_ptr<const WorldFile> file) { set_file(std::move(file)); }

void Tree::set_file(std::shared_ptr<const WorldFile> file) {
  file_ = std::move(file);
  entries_.clear();
  order_.clear();
  for (const NodePtr& node : file_->nodes) {
    visit(node, {});
  }
  SERVOSIM_ASSERT(entries_.size() == order_.size(), "{} nodes, {} in the order of the file",
                  entries_.size(), order_.size());
}

void Tree::apply(const Edits& edits) {
  set_file(std::make_shared<WorldFile>(rewritten(*file_, edits)));
}

// Values of an instance are visited before its body, which holds them again.
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

std::vector<std::string> Tree::defs() const {
  std::vector<std::string> names;
  for (const std::uint32_t id : order_) {
    const TreeEntry& entry = entries_.at(id);
    if (!entry.internal && !entry.node->def.empty()) {
      names.push_back(entry.node->def);
    }
  }
  return names;
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

Source source_for(const WorldFile& world, const std::string& label, std::string text,
                  Diagnostics& diagnostics) {
  Source source;
  source.file = diagnostics.sources().add(label, std::move(text));
  source.text = diagnostics.sources().text(source.file);
  source.version = header_version(source.text).value_or(world.version);
  source.folder = std::filesystem::path(world.path).parent_path().string();
  source.externs = world.externs;
  return source;
}

// Gives nodes of a new body the numbers of those in the old one that stand at the same place.
class IdMapper {
 public:
  void pair(const NodePtr& old, const NodePtr& replacement) {
    if (!old || !replacement || old->type != replacement->type || old->id == replacement->id ||
        !taken_.insert(old->id).second || !ids_.emplace(replacement->id, old->id).second) {
      return;
    }
    for (const Field& field : replacement->fields) {
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

  // The new body with the old numbers.
  NodePtr renumbered(const NodePtr& root) {
    WorldFile holder;
    holder.nodes = {root};
    Edits edits;
    for (const auto& [replacement, old] : ids_) {
      edits.change(replacement, [this, old = old](Node& node) {
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

std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics,
                                const std::string& label) {
  Source source = source_for(world, label, std::move(text), diagnostics);
  Reading reading(diagnostics, ProtoFinder(world.project, world.library));
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

NodePtr reinstantiate(WorldFile& world, const Node& root, std::vector<std::optional<Value>> given,
                      Diagnostics& diagnostics) {
  const Source source = source_for(world, "imported node", "", diagnostics);
  Reading reading(diagnostics, ProtoFinder(world.project, world.library));
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
  IdMapper mapper;
  mapper.pair(std::make_shared<Node>(root), made);
  return mapper.renumbered(made);
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
  return field.exists_in(version) && !field.extension && !is_nightly;
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
  targets.needs_new_instance = instance->interface->fields[key.number].used_by_template;
  for (const Connection& c : instance->connections) {
    if (c.parameter == key.number && c.field == nullptr) {
      targets.needs_new_instance = true;
    } else if (c.parameter == key.number) {
      targets.fields.push_back(c);
    }
  }
  return targets;
}

}  // namespace servosim::wbt
