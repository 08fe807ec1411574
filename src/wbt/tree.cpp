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
#include "wbt/node_parser.h"
#include "wbt/proto/proto.h"
#include "wbt/schema/node_types.h"
#include "wbt/values.h"

namespace servosim::wbt {

namespace {

// Returns the changes of existing nodes, in the order in which a visit reaches their places: values
// of a PROTO instance come before its body.
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

// Returns the instance that contains the slot of a key.
ProtoInstance& instance_of(Node& node, FieldKey key) {
  auto* instance = const_cast<ProtoInstance*>(node.proto.instance.get());
  for (int level = key.level; level > 1; --level) {
    instance = const_cast<ProtoInstance*>(instance->base.get());
  }
  return *instance;
}

// Returns the slot of a key, which must be stored.
Value& slot_of(Node& node, FieldKey key) {
  return key.level > 0 ? *instance_of(node, key).given[key.number]
                       : const_cast<Value&>(node.find(node.type->fields[key.number]->name)->value);
}

std::vector<NodePtr>& list_of(Node& node, FieldKey key) {
  return std::get<std::vector<NodePtr>>(slot_of(node, key));
}

// Returns the pointer to the node in one slot; null if it is not there.
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
  const bool follows = is_indexed_ && (file == file_ || index_follows(*file));
  const std::shared_ptr<const WorldFile> former = std::exchange(file_, std::move(file));
  ++generation_;
  try {
    if (!follows) {
      make_index();
    }
  } catch (...) {
    file_ = former;
    throw;
  }
  note_top();
}

// After a failure there is no index.
bool Tree::index_follows(const WorldFile& file) {
  is_indexed_ = false;
  is_indexed_ = index_.follow(file_->nodes, file.nodes);
  return is_indexed_;
}

void Tree::make_index() {
  visits_ += index_.visits();
  is_indexed_ = false;
  index_ = TreeIndex();
  index_.set(file_->nodes);
  is_indexed_ = true;
}

void Tree::note_top() {
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
  static_cast<void>(index());
  if (!may_change_in_place(edits)) {
    return set_file(std::make_shared<WorldFile>(rewritten(*file_, edits)));
  }
  const long others = file_.use_count() - 1 - followers;
  // The copy is an atomic operation, so what former owners did with the file is complete.
  const std::shared_ptr<const WorldFile> former = file_;
  try {
    if (others > 0) {
      file_ = std::make_shared<WorldFile>(*former);
      ++generation_;
    }
    apply_in_place(edits);
    if (index_.is_stale()) {
      make_index();
    }
  } catch (...) {
    take_back(former);
    throw;
  }
  undo_.clear();
}

void Tree::apply_in_place(const Edits& edits) {
  for (const auto& [id, change] : edits.changes) {
    if (Record* const record = index_.find(id)) {
      change_value(*record, change.how);
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
  undo_.push_back([&file, last_id = file.last_id, externs = file.externs.size()] {
    file.last_id = last_id;
    file.externs.erase(file.externs.begin() + static_cast<std::ptrdiff_t>(externs),
                       file.externs.end());
  });
  file.last_id = std::max(file.last_id, edits.last_id);
  add_externs(file.externs, edits.externs);
  for (const NodePtr& node : edits.imported) {  // they are new: see may_change_in_place()
    undo_.push_back([&file, id = node->id] { file.imported.erase(id); });
    file.imported.emplace(node->id, node);
  }
  for (const std::uint32_t id : index_.take_removed()) {
    const auto gone = file.imported.find(id);
    if (gone != file.imported.end() && index_.find(id) == nullptr) {
      const auto kept = std::make_shared<decltype(file.imported)::node_type>();
      undo_.push_back([&file, kept] { file.imported.insert(std::move(*kept)); });
      *kept = file.imported.extract(gone);
    }
  }
}

void Tree::take_back(const std::shared_ptr<const WorldFile>& former) noexcept {
  for (; !undo_.empty(); undo_.pop_back()) {
    undo_.back()();
  }
  file_ = former;
  ++generation_;
  note_top();
  is_indexed_ = false;
  try {
    make_index();
  } catch (const std::bad_alloc&) {  // index() will try again
  }
}

const TreeIndex& Tree::index() const {
  if (!is_indexed_) {
    const_cast<Tree*>(this)->make_index();
  }
  return index_;
}

// Returns whether everything that the edits change is known in advance.
bool Tree::may_change_in_place(const Edits& edits) const {
  std::uint64_t expanded = expanded_;
  bool may = true;
  const auto come = [&](const Standing& above, const NodePtr& node) {
    may = may && node && above.depth + node->height <= kMaxNodeDepth;
    expanded += may ? above.count * node->expanded : 0;
    may = may && expanded <= kMaxNodes;
  };
  for (const auto& [id, change] : edits.changes) {
    may = may && change.keeps_nodes;
  }
  for (const NodesChange& change : edits.node_lists) {
    const TreeEntry* const owner = find(change.node);
    may = may && owner != nullptr &&
          (change.key.level != 1 || owner->node->proto.parameters == nullptr);
    const Standing above = may ? standing_of(change.node) : Standing();
    for (const NodePtr& node : change.inserted) {
      come(above, node);
    }
  }
  for (const NodePtr& node : edits.imported) {
    may = may && find(node->id) == nullptr;
  }
  for (const auto& [id, by] : edits.replaced) {
    may = may && by != nullptr && find(id) != nullptr;
    Standing place = may ? standing_of(id) : Standing();
    --place.depth;
    come(place, by);
  }
  for (const auto& [index, node] : edits.inserted) {
    may = may && node && find(node->id) == nullptr;
    come({0, 1}, node);
  }
  return may;
}

Tree::Standing Tree::standing_of(std::uint32_t id) const {
  std::unordered_map<std::uint32_t, Standing> known;
  return standing_of(id, known);
}

Tree::Standing Tree::standing_of(std::uint32_t id,
                                 std::unordered_map<std::uint32_t, Standing>& known) const {
  if (id == 0) {
    return {0, 1};
  }
  if (const auto found = known.find(id); found != known.end()) {
    return found->second;
  }
  ++visits_;
  Standing standing{1, 0};
  for (const NodePlace& place : index().find(id)->places) {
    if (!place.as_value) {
      const Standing above = standing_of(place.owner, known);
      standing.depth = std::max(standing.depth, above.depth + 1);
      standing.count = std::min<std::uint64_t>(standing.count + above.count, kMaxNodes + 1);
    }
  }
  // The node is only a value of an instance.
  standing.count = std::max<std::uint64_t>(standing.count, 1);
  known.emplace(id, standing);
  return standing;
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
    auto copy = std::make_shared<ProtoInstance>(*node.proto.instance);
    node.proto.instance = copy;
    while (copy->base) {
      auto base = std::make_shared<ProtoInstance>(*copy->base);
      copy->base = base;
      copy = std::move(base);
    }
    record.instance_owned = generation_;
  }
  return const_cast<ProtoInstance&>(*node.proto.instance);
}

// Executes any change of fields and parameters that contain no nodes.
void Tree::change_value(Record& record, const std::function<void(Node&)>& how) {
  Node& node = own(record);
  std::vector<std::pair<std::size_t, Field>> former;
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    if (!holds_nodes(node.fields[i].type->type)) {
      former.emplace_back(i, node.fields[i]);
    }
  }
  undo_.push_back([&node, former = std::move(former), count = node.fields.size(),
                   instance = node.proto.instance, parameters = node.proto.parameters]() mutable {
    node.fields.erase(node.fields.begin() + static_cast<std::ptrdiff_t>(count), node.fields.end());
    for (auto& [i, field] : former) {
      node.fields[i] = std::move(field);
    }
    node.proto.instance = std::move(instance);
    node.proto.parameters = std::move(parameters);
  });
  how(node);
}

// Returns the slot of a key. A slot that is not stored yet gets its default value.
Value& Tree::own_slot(Record& record, FieldKey key) {
  Node& node = own(record);
  if (key.level > 0) {
    own_instance(record);
    ProtoInstance& instance = instance_of(node, key);
    if (auto& given = instance.given[key.number]; !given) {
      undo_.push_back([&given] { given.reset(); });
      given.emplace(instance.interface->fields[key.number].default_value);
    }
  } else if (const FieldType& row = *node.type->fields[key.number]; !node.has(row.name)) {
    undo_.push_back([&node, count = node.fields.size()] {
      node.fields.erase(node.fields.begin() + static_cast<std::ptrdiff_t>(count),
                        node.fields.end());
    });
    set_value(node, row, default_value(row));
  }
  return slot_of(node, key);
}

// Puts another node in all places of a node. @return the former node
NodePtr Tree::replace(const Record& record, const NodePtr& by) {
  const Node* const former = record.node;
  std::vector<std::pair<Node*, NodePlace>> places;  // null means the top level
  for (const NodePlace& place : record.places) {
    Record* const owner = place.owner != 0 ? index_.find(place.owner) : nullptr;
    places.emplace_back(owner != nullptr ? &own(*owner) : nullptr, place);
    if (place.as_value) {
      own_instance(*owner);
    }
  }
  const auto put = [&file = own_file(), places = std::move(places)](const Node* one,
                                                                    const NodePtr& other) {
    NodePtr kept;
    const auto in = [&](NodePtr* at) {
      kept = at != nullptr ? std::exchange(*at, other) : kept;
      return at != nullptr;
    };
    for (const auto& [owner, place] : places) {
      if (owner == nullptr) {
        const auto is_it = [one](const NodePtr& node) { return node.get() == one; };
        const auto found = std::find_if(file.nodes.begin(), file.nodes.end(), is_it);
        in(found != file.nodes.end() ? &*found : nullptr);
        continue;
      }
      bool is_done = false;
      for_each_slot(*owner, [&, &at = place](const Value& value, const NodePlace& there) {
        is_done = is_done || (there == at && in(find_in(const_cast<Value&>(value), one)));
      });
    }
    return kept;
  };
  // `kept` gets the former node only after the replacement, so undoing it before that does nothing.
  const auto kept = std::make_shared<NodePtr>();
  undo_.push_back([put, kept, now = by.get()] {
    if (*kept) {
      put(now, *kept);
    }
  });
  *kept = put(former, by);
  return *kept;
}

void Tree::change_nodes(const NodesChange& change) {
  Record& record = *index_.find(change.node);
  Value& slot = own_slot(record, change.key);
  Node& node = own(record);
  const bool as_value = change.key.level > 0;
  const NodePlace place{
      change.node, as_value, as_value ? change.key.level > 1 : node.proto.instance != nullptr,
      !as_value && node.type->fields[change.key.number]->name == "boundingObject"};
  if (auto* const list = std::get_if<std::vector<NodePtr>>(&slot)) {
    return change_list(change, node, *list, place, &slot);
  }
  NodePtr& one = std::get<NodePtr>(slot);
  const std::vector<NodePtr> former{one};
  undo_.push_back(
      [&node, key = change.key, before = one] { std::get<NodePtr>(slot_of(node, key)) = before; });
  one = change.inserted.empty() ? NodePtr() : change.inserted.front();
  if (former.front()) {
    index_.remove(*former.front(), place);
  }
  const std::vector<NodePtr> now{one};
  index_.add(now, 0, one ? 1 : 0, place, &slot);
  if (!as_value) {
    resize(change.node, former.front().get(), one.get());
  }
}

void Tree::change_list(const NodesChange& change, Node& owner, std::vector<NodePtr>& list,
                       const NodePlace& place, const Value* slot) {
  std::vector<NodePtr> gone;
  if (change.removed != 0) {
    const std::size_t at = change.find_removed(list);
    if (at == list.size()) {
      return;
    }
    gone.push_back(list[at]);
    undo_.push_back([&owner, key = change.key, at, item = list[at], count = list.size()] {
      std::vector<NodePtr>& now = list_of(owner, key);
      if (now.size() < count) {  // there is room, since the list had this size before
        now.insert(now.begin() + static_cast<std::ptrdiff_t>(at), item);
      }
    });
  } else {
    undo_.push_back([&owner, key = change.key, count = list.size(), change = &change] {
      std::vector<NodePtr>& now = list_of(owner, key);
      if (now.size() > count) {
        const auto from = now.begin() + static_cast<std::ptrdiff_t>(change->place_in(count));
        now.erase(from, from + static_cast<std::ptrdiff_t>(now.size() - count));
      }
    });
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

// Replaces a node and all nodes below it.
void Tree::exchange(std::uint32_t id, const NodePtr& by) {
  Record& record = *index_.find(id);
  const std::vector<NodePlace> places = record.places;
  const OrderedPlaces::Place next = std::next(record.end);
  const NodePtr former = replace(record, by);
  for (const NodePlace& place : places) {
    index_.remove(*former, place);
  }
  index_.add(by, places, next);
  for (const NodePlace& place : places) {
    place.as_value ? void() : resize(place.owner, former.get(), by.get());
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
      const NodePtr gone = *found;
      undo_.push_back([&top, at = found - top.begin(), gone, count = top.size()] {
        if (top.size() < count) {  // there is room, since the list had this size before
          top.insert(top.begin() + at, gone);
        }
      });
      top.erase(found);
      index_.remove(*gone, {});
      resize(0, gone.get(), nullptr);
    }
  }
  for (const auto& [index, node] : edits.inserted) {
    const std::size_t at = std::min(index, top.size());
    undo_.push_back([&top, at, count = top.size()] {
      if (top.size() > count) {
        top.erase(top.begin() + static_cast<std::ptrdiff_t>(at));
      }
    });
    top.insert(top.begin() + static_cast<std::ptrdiff_t>(at), node);
    index_.add(top, at, 1, {}, nullptr);
    resize(0, nullptr, node.get());
  }
}

// Counts nodes and levels again after a node below `id` was added, removed or replaced.
void Tree::resize(std::uint32_t id, const Node* before, const Node* after) {
  resize(id,
         std::int64_t{after != nullptr ? after->expanded : 0} -
             std::int64_t{before != nullptr ? before->expanded : 0},
         before != nullptr ? before->height : 0, after != nullptr ? after->height : 0);
}

// Updates nodes from `id` upwards on every path. The height of what has changed below `id` was
// `was` and is `now`.
void Tree::resize(std::uint32_t id, std::int64_t grows, std::uint32_t was, std::uint32_t now) {
  if (id == 0) {
    expanded_ += static_cast<std::uint64_t>(grows);
    return;
  }
  Record& record = *index_.find(id);
  Node& node = own(record);
  undo_.push_back([&node, expanded = node.expanded, height = node.height] {
    node.expanded = expanded;
    node.height = height;
  });
  node.expanded = static_cast<std::uint32_t>(node.expanded + grows);
  const std::uint32_t former = std::exchange(node.height, std::max(node.height, now + 1));
  if (was + 1 == former && now < was) {
    node.height = height_of(node, former);
  }
  for (const NodePlace& place : record.places) {
    if (!place.as_value) {
      resize(place.owner, grows, former, node.height);
    }
  }
}

// Returns the height, which is at most `most`. So the search ends at the first child with that
// height.
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

std::vector<ParameterPlace> parameters_of(const Tree& tree, std::uint32_t node,
                                          const FieldType& field) {
  std::vector<ParameterPlace> places;
  for (std::uint32_t id = node; id != 0; id = tree.find(id)->parent) {
    int level = 1;
    const ProtoInstance* instance = tree.find(id)->node->proto.instance.get();
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
  auto instance = std::make_shared<ProtoInstance>(*node.proto.instance);
  ProtoInstance* where = instance.get();
  for (int i = level; i > 1; --i) {
    auto base = std::make_shared<ProtoInstance>(*where->base);
    ProtoInstance* const below = base.get();
    where->base = std::move(base);
    where = below;
  }
  where->given[parameter] = value;
  if (node.proto.parameters && level == 1) {
    auto parameters = std::make_shared<std::vector<Parameter>>(*node.proto.parameters);
    (*parameters)[parameter].value = std::move(value);
    node.proto.parameters = std::move(parameters);
  }
  node.proto.instance = std::move(instance);
}

namespace {

// Only nightly versions of R2023b, which had this version number, gave Solids a scale. Files may
// have it, but the release does not.
bool is_shown(const FieldType& field, const Version& version) {
  constexpr Version kR2023b{2023, 1, 0};
  const bool is_nightly = field.name == "scale" && field.until == kR2023b && version >= kR2023b;
  return field.exists_in(version) && !field.extension && !is_nightly;
}

}  // namespace

const ProtoInstance* instance_at(const Node& node, int level) {
  const ProtoInstance* instance = node.proto.instance.get();
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
