// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
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

namespace {

// Those of nodes that are there, as a visit meets their places: values of a PROTO instance come
// before its body.
std::vector<const NodesChange*> in_order(const std::vector<NodesChange>& changes,
                                         const TreeIndex& index) {
  std::vector<const NodesChange*> sorted;
  for (const NodesChange& change : changes) {
    if (index.find(change.node) != nullptr) {
      sorted.push_back(&change);
    }
  }
  const auto level = [](const NodesChange& c) { return c.key.level > 0 ? c.key.level : 256; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) {
    const auto* first = index.find(a->node);
    const auto* second = index.find(b->node);
    return first == second ? level(*a) < level(*b)
                           : OrderedPlaces::is_before(first->begin, second->begin);
  });
  return sorted;
}

// The slot of a key; one that is not stored yet gets its default.
Value& slot_of(Node& node, ProtoInstance* instance, FieldKey key) {
  if (instance != nullptr) {
    for (int level = key.level; level > 1; --level) {
      instance = const_cast<ProtoInstance*>(instance->base.get());
    }
    auto& given = instance->given[key.number];
    return given ? *given : given.emplace(instance->interface->fields[key.number].default_value);
  }
  const FieldType& row = *node.type->fields[key.number];
  if (!node.has(row.name)) {
    set_value(node, row, default_value(row));
  }
  return const_cast<Value&>(node.find(row.name)->value);
}

// The node in one slot, if it is there.
NodePtr* find_in(Value& value, const Node* node) {
  if (auto* one = std::get_if<NodePtr>(&value)) {
    return one->get() == node ? one : nullptr;
  }
  auto* const list = std::get_if<std::vector<NodePtr>>(&value);
  if (list == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(list->begin(), list->end(),
                                  [node](const NodePtr& item) { return item.get() == node; });
  return found != list->end() ? &*found : nullptr;
}

}  // namespace

Tree::Tree(std::shared_ptr<const WorldFile> file) { set_file(std::move(file)); }

void Tree::set_file(std::shared_ptr<const WorldFile> file) {
  file_ = std::move(file);
  index_.set(file_->nodes);
  ++generation_;
  expanded_ = 0;
  world_info_ = 0;
  for (const NodePtr& node : file_->nodes) {
    expanded_ += node->expanded;
    world_info_ = node->type->name == "WorldInfo" ? node->id : world_info_;
  }
}

WorldFile Tree::heading() const {
  WorldFile heading;
  heading.path = file_->path;
  heading.project = file_->project;
  heading.version = file_->version;
  heading.externs = file_->externs;
  heading.library = file_->library;
  heading.last_id = file_->last_id;
  const auto is_it = [this](const NodePtr& node) { return node->id == world_info_; };
  const auto found = std::find_if(file_->nodes.begin(), file_->nodes.end(), is_it);
  if (world_info_ != 0 && found != file_->nodes.end()) {
    heading.nodes = {*found};
  }
  return heading;
}

void Tree::apply(const Edits& edits, long followers) {
  if (!may_change_in_place(edits)) {
    return set_file(std::make_shared<WorldFile>(rewritten(*file_, edits)));
  }
  const long others = file_.use_count() - 1 - followers;
  const std::shared_ptr<const WorldFile> former = file_;  // what others did with it is done
  if (others > 0) {
    ++generation_;
    file_ = std::make_shared<WorldFile>(*former);
  }
  for (const auto& [id, change] : edits.changes) {
    if (Record* const record = index_.find(id)) {
      change.how(own(*record));
    }
  }
  for (const NodesChange* change : in_order(edits.node_lists, index_)) {
    change_nodes(*change);
  }
  for (const auto& [id, by] : edits.replaced) {
    exchange(id, by);
  }
  change_top(edits);
  WorldFile& file = own_file();
  file.last_id = std::max(file.last_id, edits.last_id);
  add_externs(file.externs, edits.externs);
  for (const NodePtr& node : edits.imported) {
    file.imported.emplace(node->id, node);
  }
  for (const std::uint32_t id : index_.take_removed()) {
    if (index_.find(id) == nullptr) {
      file.imported.erase(id);
    }
  }
  if (index_.is_stale()) {
    set_file(file_);
  }
}

// Whether all that changes is known beforehand, and each node that gets other ones has one place.
bool Tree::may_change_in_place(const Edits& edits) const {
  std::uint64_t expanded = expanded_;
  bool may = true;
  const auto come = [&](std::uint32_t owner, const NodePtr& node) {
    const std::optional<int> depth = owner != 0 ? depth_of(owner) : 0;
    may = may && node && depth && *depth + node->height <= kMaxNodeDepth;
    expanded += may ? node->expanded : 0;
  };
  for (const auto& [id, change] : edits.changes) {
    may = may && change.keeps_nodes;
  }
  for (const NodesChange& change : edits.node_lists) {
    const TreeEntry* const owner = find(change.node);
    may = may && owner != nullptr && depth_of(change.node) &&
          (change.key.level != 1 || owner->node->parameters == nullptr);
    for (const NodePtr& node : change.inserted) {
      come(change.node, node);
    }
  }
  for (const NodePtr& node : edits.imported) {
    may = may && find(node->id) == nullptr;
  }
  for (const auto& [id, by] : edits.replaced) {
    may = may && by != nullptr && find(id) != nullptr && depth_of(id);
    come(may ? find(id)->above : 0, by);
  }
  for (const auto& [index, node] : edits.inserted) {
    may = may && node && find(node->id) == nullptr;
    come(0, node);
  }
  return may && expanded <= kMaxNodes;
}

// The levels of fields down to a node; nothing if it, or one above it, is in two of them.
std::optional<int> Tree::depth_of(std::uint32_t id) const {
  int depth = 0;
  while (id != 0) {
    const std::vector<NodePlace>& places = index_.find(id)->places;
    const auto in_field = [](const NodePlace& place) { return !place.as_value; };
    if (std::count_if(places.begin(), places.end(), in_field) > 1) {
      return std::nullopt;
    }
    const auto at = std::find_if(places.begin(), places.end(), in_field);
    id = at != places.end() ? at->owner : 0;
    ++depth;
    ++visits_;
  }
  return depth;
}

WorldFile& Tree::own_file() { return const_cast<WorldFile&>(*file_); }

Node& Tree::own(Record& record) {
  ++visits_;
  if (record.owned != generation_) {
    const NodePtr copy = std::make_shared<Node>(*record.node);
    replace(record, copy);
    record.node = copy.get();
    record.owned = generation_;
    record.instance_owned = 0;
  }
  return const_cast<Node&>(*record.node);
}

ProtoInstance& Tree::own_instance(Record& record) {
  Node& node = own(record);
  if (record.instance_owned != generation_) {
    auto copy = std::make_shared<ProtoInstance>(*node.instance);
    node.instance = copy;
    while (copy->base) {
      auto base = std::make_shared<ProtoInstance>(*copy->base);
      copy->base = base;
      copy = std::move(base);
    }
    record.instance_owned = generation_;
  }
  return const_cast<ProtoInstance&>(*node.instance);
}

// Puts another node in all places of one. @return the former node
NodePtr Tree::replace(const Record& record, const NodePtr& by) {
  const Node* const former = record.node;
  NodePtr kept;
  const auto put = [&](NodePtr* at) {
    kept = at != nullptr ? std::exchange(*at, by) : kept;
    return at != nullptr;
  };
  for (const NodePlace& place : record.places) {
    if (place.owner == 0) {
      auto& top = own_file().nodes;
      const auto is_it = [former](const NodePtr& node) { return node.get() == former; };
      const auto found = std::find_if(top.begin(), top.end(), is_it);
      put(found != top.end() ? &*found : nullptr);
      continue;
    }
    Record& owner = *index_.find(place.owner);
    Node& node = own(owner);
    if (place.as_value) {
      own_instance(owner);
    }
    bool is_done = false;
    for_each_slot(node, [&](const Value& value, const NodePlace& there) {
      is_done = is_done || (there == place && put(find_in(const_cast<Value&>(value), former)));
    });
  }
  return kept;
}

void Tree::change_nodes(const NodesChange& change) {
  Record& record = *index_.find(change.node);
  Node& node = own(record);
  const bool as_value = change.key.level > 0;
  Value& slot = slot_of(node, as_value ? &own_instance(record) : nullptr, change.key);
  const NodePlace place{
      change.node, as_value, as_value ? change.key.level > 1 : node.instance != nullptr,
      !as_value && node.type->fields[change.key.number]->name == "boundingObject"};
  if (auto* const list = std::get_if<std::vector<NodePtr>>(&slot)) {
    return change_list(change, *list, place, &slot);
  }
  NodePtr& one = std::get<NodePtr>(slot);
  const std::vector<NodePtr> former{
      std::exchange(one, change.inserted.empty() ? NodePtr() : change.inserted.front())};
  if (former.front()) {
    index_.remove(*former.front(), place);
  }
  const std::vector<NodePtr> now{one};
  index_.add(now, 0, one ? 1 : 0, place, &slot);
  if (!as_value) {
    resize(change.node, former.front().get(), one.get());
  }
}

void Tree::change_list(const NodesChange& change, std::vector<NodePtr>& list,
                       const NodePlace& place, const Value* slot) {
  std::vector<NodePtr> gone;
  if (change.removed != 0) {
    const std::size_t at = change.find_removed(list);
    if (at == list.size()) {
      return;
    }
    gone.push_back(list[at]);
  }
  const std::size_t at = change.apply_to(list);
  for (const NodePtr& node : gone) {
    index_.remove(*node, place);
  }
  index_.add(list, at, change.inserted.size(), place, slot);
  for (const NodePtr& node : gone) {
    place.as_value ? void() : resize(place.owner, node.get(), nullptr);
  }
  for (const NodePtr& node : change.inserted) {
    place.as_value ? void() : resize(place.owner, nullptr, node.get());
  }
}

// Puts another node, with all below it, in the place of one.
void Tree::exchange(std::uint32_t id, const NodePtr& by) {
  Record& record = *index_.find(id);
  const std::vector<NodePlace> places = record.places;
  const OrderedPlaces::Place next = std::next(record.end);
  const std::optional<std::uint32_t> holder = holder_of(record);
  const NodePtr former = replace(record, by);
  for (const NodePlace& place : places) {
    index_.remove(*former, place);
  }
  index_.add(by, places, next);
  if (holder) {
    resize(*holder, former.get(), by.get());
  }
}

void Tree::change_top(const Edits& edits) {
  std::vector<NodePtr>& top = own_file().nodes;
  for (const std::uint32_t id : edits.removed) {
    const TreeEntry* const entry = find(id);
    const auto is_it = [&](const NodePtr& node) {
      return entry != nullptr && node.get() == entry->node;
    };
    const auto found = std::find_if(top.begin(), top.end(), is_it);
    if (found != top.end()) {
      const NodePtr gone = std::move(*found);
      top.erase(found);
      index_.remove(*gone, {});
      resize(0, gone.get(), nullptr);
    }
  }
  for (const auto& [index, node] : edits.inserted) {
    const std::size_t at = std::min(index, top.size());
    top.insert(top.begin() + static_cast<std::ptrdiff_t>(at), node);
    index_.add(top, at, 1, {}, nullptr);
    resize(0, nullptr, node.get());
  }
}

// Who has the node in a field; 0: the top level; nothing: it is only a value of a PROTO instance.
std::optional<std::uint32_t> Tree::holder_of(const Record& record) {
  for (const NodePlace& place : record.places) {
    if (!place.as_value) {
      return place.owner;
    }
  }
  return std::nullopt;
}

// A node below `id` has come, gone or become another one: counts nodes and levels again from `id`
// up, where each is in one field.
void Tree::resize(std::uint32_t id, const Node* before, const Node* after) {
  const std::int64_t grows = std::int64_t{after != nullptr ? after->expanded : 0} -
                             std::int64_t{before != nullptr ? before->expanded : 0};
  std::uint32_t was = before != nullptr ? before->height : 0;
  std::uint32_t now = after != nullptr ? after->height : 0;
  std::optional<std::uint32_t> at = id;
  while (at && *at != 0) {
    Record& record = *index_.find(*at);
    Node& node = own(record);
    node.expanded = static_cast<std::uint32_t>(node.expanded + grows);
    const std::uint32_t former = std::exchange(node.height, std::max(node.height, now + 1));
    if (was + 1 == former && now < was) {
      node.height = height_of(node, former);
    }
    was = former;
    now = node.height;
    at = holder_of(record);
  }
  expanded_ += at ? static_cast<std::uint64_t>(grows) : 0;
}

// A height that is at most `most`: of many children the first of that height is enough.
std::uint32_t Tree::height_of(const Node& node, std::uint32_t most) const {
  std::uint32_t height = 1;
  for (const Field& field : node.fields) {
    const auto* const one = std::get_if<NodePtr>(&field.value);
    const auto* const list = std::get_if<std::vector<NodePtr>>(&field.value);
    const std::span<const NodePtr> nodes = one != nullptr    ? std::span(one, 1)
                                           : list != nullptr ? std::span(*list)
                                                             : std::span<const NodePtr>();
    for (std::size_t i = 0; i < nodes.size() && height < most; ++i, ++visits_) {
      height = std::max(height, nodes[i] ? nodes[i]->height + 1 : 1);
    }
  }
  return height;
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
