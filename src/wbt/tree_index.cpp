// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.h"

namespace servosim::wbt {
namespace {

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

void TreeIndex::set(const std::vector<NodePtr>& nodes) {
  names_ = {};
  records_.clear();
  order_.clear();
  removed_.clear();
  doubtful_.clear();
  is_doubtful_ = false;
  const NodePlace top;
  for (const NodePtr& node : nodes) {
    visit(node, {}, &top, order_.end());
  }
}

// Following another version of the world.

namespace {

std::span<const NodePtr> nodes_in(const Value* value) {
  const auto* const one = value != nullptr ? std::get_if<NodePtr>(value) : nullptr;
  const auto* const list = value != nullptr ? std::get_if<std::vector<NodePtr>>(value) : nullptr;
  return list != nullptr                     ? std::span(*list)
         : one != nullptr && *one != nullptr ? std::span(one, 1)
                                             : std::span<const NodePtr>();
}

// Returns the values of a node that contain nodes, first those of its PROTO instances, then those
// of its fields, in the order of `like`.
std::vector<const Value*> slots_of(const Node& node, const Node& like) {
  std::vector<const Value*> slots;
  const ProtoInstance* instance = node.proto.instance.get();
  for (const auto* i = like.proto.instance.get(); i != nullptr; i = i->base.get()) {
    for (std::size_t k = 0; k < i->given.size(); ++k) {
      slots.push_back(instance->given[k] ? &*instance->given[k] : nullptr);
    }
    instance = instance->base.get();
  }
  for (const Field& field : like.fields) {
    const Field* const own = node.find(field.type->name);
    slots.push_back(own != nullptr ? &own->value : nullptr);
  }
  return slots;
}

// Returns whether the nodes have the same PROTO instances, so that their values can be compared.
bool are_alike(const Node& a, const Node& b) {
  const ProtoInstance* one = a.proto.instance.get();
  const ProtoInstance* other = b.proto.instance.get();
  while (one != nullptr && other != nullptr && one->interface == other->interface) {
    one = one->base.get();
    other = other->base.get();
  }
  const auto is_kept = [&b](const Field& field) {
    return nodes_in(&field.value).empty() || b.has(field.type->name);
  };
  return a.type == b.type && a.def == b.def && one == nullptr && other == nullptr &&
         std::all_of(a.fields.begin(), a.fields.end(), is_kept);
}

}  // namespace

bool TreeIndex::follow(const std::vector<NodePtr>& before, const std::vector<NodePtr>& now) {
  const bool follows = follow_list(before, now, {}, nullptr) && !is_stale();
  doubtful_.clear();
  removed_.clear();
  return follows;
}

bool TreeIndex::follow_list(std::span<const NodePtr> before, const std::vector<NodePtr>& now,
                            const NodePlace& place, const Value* slot) {
  std::size_t at = 0;
  while (at < before.size() && at < now.size() && before[at] == now[at]) {
    ++at;
  }
  std::size_t end = now.size();
  std::size_t former_end = before.size();
  while (end > at && former_end > at && before[former_end - 1] == now[end - 1]) {
    --end;
    --former_end;
  }
  const auto middle = before.subspan(at, former_end - at);
  const bool are_the_same = std::equal(
      middle.begin(), middle.end(), now.begin() + static_cast<std::ptrdiff_t>(at),
      now.begin() + static_cast<std::ptrdiff_t>(end), [](const NodePtr& a, const NodePtr& b) {
        return a != nullptr && b != nullptr && a->id == b->id;
      });
  if (are_the_same) {
    return std::equal(middle.begin(), middle.end(), now.begin() + static_cast<std::ptrdiff_t>(at),
                      [this](const NodePtr& a, const NodePtr& b) { return follow_node(*a, *b); });
  }
  std::unordered_map<std::uint32_t, NodePtr> left;
  for (std::size_t i = at; i < end; ++i) {
    if (now[i] == nullptr || !left.emplace(now[i]->id, now[i]).second) {
      return false;
    }
  }
  std::vector<NodePtr> staying;
  for (std::size_t i = at; i < former_end; ++i) {
    if (before[i] != nullptr && left.contains(before[i]->id)) {
      staying.push_back(before[i]);
    } else if (before[i] != nullptr) {
      remove(*before[i], place);
    }
  }
  auto next = staying.begin();
  for (std::size_t i = at; i < end; ++i) {
    if (next != staying.end() && (*next)->id == now[i]->id) {
      if (!follow_node(**next++, *now[i])) {
        return false;
      }
    } else if (const Record* const known = find(now[i]->id);
               known != nullptr && known->node != now[i].get()) {
      return false;  // the node comes from another place
    } else {
      add(now, i, 1, place, slot);
    }
  }
  return next == staying.end();  // otherwise their order has changed
}

bool TreeIndex::follow_node(const Node& before, const Node& now) {
  Record* const record = find(now.id);
  if (&before == &now || (record != nullptr && record->node == &now)) {
    return true;  // visited at another place
  }
  ++visits_;
  if (record == nullptr || record->node != &before || !are_alike(before, now)) {
    return false;
  }
  record->node = &now;
  const std::vector<const Value*> former = slots_of(before, now);
  std::size_t number = 0;
  bool follows = true;
  const auto follow_slot = [&](const Value* value, const NodePlace& place) {
    const auto* const list = value != nullptr ? std::get_if<std::vector<NodePtr>>(value) : nullptr;
    const std::span<const NodePtr> nodes = nodes_in(value);
    const std::span<const NodePtr> before_it = nodes_in(former[number++]);
    if (follows && (!nodes.empty() || !before_it.empty())) {
      follows = list != nullptr
                    ? follow_list(before_it, *list, place, value)
                    : follow_list(before_it, {nodes.begin(), nodes.end()}, place, value);
    }
  };
  NodePlace place{now.id, true};
  for (const ProtoInstance* i = now.proto.instance.get(); i != nullptr; i = i->base.get()) {
    for (const auto& value : i->given) {
      follow_slot(value ? &*value : nullptr, place);
    }
    place.internal = true;
  }
  for (const Field& field : now.fields) {
    follow_slot(&field.value, NodePlace{now.id, false, now.proto.instance != nullptr,
                                        field.type->name == "boundingObject"});
  }
  return follows;
}

TreeIndex::Record* TreeIndex::find(std::uint32_t id) {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second;
}

const TreeIndex::Record* TreeIndex::find(std::uint32_t id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second;
}

// `place` is null if the owner is visited again, so that the place is known already.
void TreeIndex::visit(const NodePtr& node, const Visit& how, const NodePlace* place,
                      OrderedPlaces::Place next) {
  if (!node) {
    return;
  }
  ++visits_;
  Record& record = records_[node->id];
  if (place != nullptr) {
    record.places.push_back(*place);
  }
  const bool is_new = record.node == nullptr;
  const bool now_in_body = !how.as_value && !record.in_body;
  const bool now_collides = how.collides && !record.collides;
  if (!is_new && !now_in_body && !now_collides) {
    return;
  }
  if (is_new || now_in_body) {
    record.node = node.get();
    record.above = how.parent;
  }
  if (is_new) {
    record.parent = how.parent;
    record.internal = how.internal;
    record.begin = order_.insert_before(next);
    record.end = order_.insert_before(next);
    if (!node->def.empty()) {
      names_[record.internal ? 1 : 0][node->def].insert(&record);
    }
  }
  record.in_body = record.in_body || !how.as_value;
  record.collides = record.collides || how.collides;
  for_each_slot(*node, [&](const Value& value, const NodePlace& below) {
    const Visit visit_below{node->id, record.internal || below.internal,
                            how.collides || below.collides, how.as_value || below.as_value};
    for_each_node(value, [&](const NodePtr& child) {
      visit(child, visit_below, is_new ? &below : nullptr, record.end);
    });
  });
}

TreeIndex::Visit TreeIndex::how_at(const NodePlace& place) const {
  const Record* const owner = place.owner != 0 ? find(place.owner) : nullptr;
  return owner == nullptr
             ? Visit{}
             : Visit{place.owner, owner->internal || place.internal,
                     owner->collides || place.collides, place.as_value || !owner->in_body};
}

void TreeIndex::add(const std::vector<NodePtr>& list, std::size_t at, std::size_t count,
                    const NodePlace& place, const Value* slot) {
  // Nodes that a value of a PROTO instance has added are in the order already.
  const bool are_known = std::all_of(list.begin() + static_cast<std::ptrdiff_t>(at),
                                     list.begin() + static_cast<std::ptrdiff_t>(at + count),
                                     [this](const NodePtr& n) { return !n || find(n->id); });
  const OrderedPlaces::Place next = are_known ? order_.end() : place_behind(list, at, place, slot);
  for (std::size_t i = at; i < at + count; ++i) {
    visit(list[i], how_at(place), &place, next);
  }
}

void TreeIndex::add(const NodePtr& node, const std::vector<NodePlace>& places,
                    OrderedPlaces::Place next) {
  for (const NodePlace& place : places) {
    visit(node, how_at(place), &place, next);
  }
}

// Returns whether the place is the one that the order has for the node. A node that is there twice
// makes the order doubtful.
bool TreeIndex::is_first_at(const NodePtr& node, const NodePlace& place) {
  ++visits_;
  const Record* const record = node ? find(node->id) : nullptr;
  if (record == nullptr || record->places.front() != place) {
    return false;
  }
  is_doubtful_ =
      is_doubtful_ || std::count(record->places.begin(), record->places.end(), place) > 1;
  return true;
}

// Returns the place after the node that precedes `at`, in this list or in the slots before it.
OrderedPlaces::Place TreeIndex::place_behind(const std::vector<NodePtr>& list, std::size_t at,
                                             const NodePlace& place, const Value* slot) {
  for (std::size_t i = at; i > 0; --i) {
    if (is_first_at(list[i - 1], place)) {
      return std::next(find(list[i - 1]->id)->end);
    }
  }
  if (slot == nullptr) {
    return order_.begin();
  }
  const Record& owner = *find(place.owner);
  OrderedPlaces::Place next = std::next(owner.begin);
  bool is_before = true;
  for_each_slot(*owner.node, [&](const Value& value, const NodePlace& there) {
    is_before = is_before && &value != slot;
    if (is_before) {
      for_each_node(value, [&](const NodePtr& node) {
        next = is_first_at(node, there) ? std::next(find(node->id)->end) : next;
      });
    }
  });
  return next;
}

void TreeIndex::remove(const Node& node, const NodePlace& place) {
  ++visits_;
  const auto found = records_.find(node.id);
  SERVOSIM_ASSERT(found != records_.end(), "node {} is not in the tree", node.id);
  Record& record = found->second;
  const auto at = std::find(record.places.begin(), record.places.end(), place);
  SERVOSIM_ASSERT(at != record.places.end(), "node {} is not at its place", node.id);
  const bool is_first = at == record.places.begin();
  record.places.erase(at);
  if (!record.places.empty()) {
    if (is_first || !is_known_without(record, place)) {
      doubtful_.push_back(node.id);
    }
    return;
  }
  for_each_slot(node, [&](const Value& value, const NodePlace& below) {
    for_each_node(value, [&](const NodePtr& child) { remove(*child, below); });
  });
  erase(record);
  records_.erase(node.id);
  removed_.push_back(node.id);
}

// Whether what is known of a node also follows from its other places: not if it is twice where
// `gone` was, since the order may have the other one.
bool TreeIndex::is_known_without(const Record& record, const NodePlace& gone) const {
  Visit all;
  all.as_value = true;
  std::uint32_t above = 0;
  for (const NodePlace& place : record.places) {
    const Visit one = how_at(place);
    above = all.as_value && !one.as_value ? one.parent : above;
    all.as_value = all.as_value && one.as_value;
    all.collides = all.collides || one.collides;
  }
  return std::find(record.places.begin(), record.places.end(), gone) == record.places.end() &&
         record.in_body == !all.as_value && record.collides == all.collides &&
         (all.as_value || record.above == above);
}

void TreeIndex::erase(Record& record) {
  if (!record.node->def.empty()) {
    Names& names = names_[record.internal ? 1 : 0];
    const auto named = names.find(record.node->def);
    named->second.erase(&record);
    if (named->second.empty()) {
      names.erase(named);
    }
  }
  order_.erase(record.begin);
  order_.erase(record.end);
}

bool TreeIndex::is_stale() const {
  return is_doubtful_ || std::any_of(doubtful_.begin(), doubtful_.end(),
                                     [this](std::uint32_t id) { return records_.contains(id); });
}

bool TreeIndex::is_below(std::uint32_t id, std::uint32_t ancestor) const {
  const Record& record = records_.at(id);
  const Record* const above = ancestor != 0 ? find(ancestor) : nullptr;
  return ancestor == 0 || id == ancestor ||
         (above != nullptr && OrderedPlaces::is_before(above->begin, record.begin) &&
          OrderedPlaces::is_before(record.begin, above->end));
}

// Search by DEF names.

const TreeIndex::Named* TreeIndex::named(bool internal, std::string_view def) const {
  const Names& names = names_[internal ? 1 : 0];
  const auto found = names.find(def);
  return found != names.end() ? &found->second : nullptr;
}

// Returns whether the DEF names of `path`, from the last one up, are on the way from a node to
// `top`.
bool TreeIndex::matches(const Record& record, std::string_view path, std::uint32_t top) const {
  const Record* at = &record;
  for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
    path = path.substr(0, dot);
    do {
      ++visits_;
      at = at->parent != top ? find(at->parent) : nullptr;
      if (at == nullptr) {
        return false;
      }
    } while (at->node->def != last_of(path));
  }
  return true;
}

// Returns the next candidate after a node that is below no node with the first name of the path:
// the first one after the next node of that name.
const TreeIndex::Record* TreeIndex::next_candidate(const Named& all, const Record& failed,
                                                   std::string_view path) const {
  const std::string_view first = path.substr(0, path.find('.'));
  const Record* next = &failed;
  bool is_inside = false;
  for (const Record* at = find(failed.parent); at != nullptr; at = find(at->parent)) {
    is_inside = is_inside || at->node->def == first;
  }
  if (!is_inside) {
    next = nullptr;
    for (const bool internal : {false, true}) {
      const Named* const tops = named(internal, first);
      const auto top = tops != nullptr ? tops->upper_bound(&failed) : Named::iterator();
      if (tops != nullptr && top != tops->end() && (next == nullptr || Earlier()(*top, next))) {
        next = *top;
      }
    }
  }
  const auto behind = next != nullptr ? all.upper_bound(next) : all.end();
  return behind != all.end() ? *behind : nullptr;
}

std::uint32_t TreeIndex::find_def(std::string_view path) const {
  const Named* const all = last_of(path).empty() ? nullptr : named(false, last_of(path));
  const Record* candidate = all != nullptr ? *all->begin() : nullptr;
  while (candidate != nullptr && !matches(*candidate, path, 0)) {
    candidate = next_candidate(*all, *candidate, path);
  }
  return candidate != nullptr ? candidate->node->id : 0;
}

std::uint32_t TreeIndex::find_def_in(std::uint32_t proto, std::string_view path) const {
  const Record* const top = find(proto);
  const Named* const all = last_of(path).empty() ? nullptr : named(true, last_of(path));
  if (top == nullptr || all == nullptr) {
    return 0;
  }
  for (auto at = all->upper_bound(top); at != all->end() && is_below((*at)->node->id, proto);
       ++at) {
    if (matches(**at, path, proto)) {
      return (*at)->node->id;
    }
  }
  return 0;
}

std::vector<std::string> TreeIndex::defs() const {
  std::vector<const Record*> all;
  for (const auto& [name, nodes] : names_[0]) {
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  std::sort(all.begin(), all.end(), Earlier());
  std::vector<std::string> names;
  std::transform(all.begin(), all.end(), std::back_inserter(names),
                 [](const Record* record) { return record->node->def; });
  return names;
}

}  // namespace servosim::wbt
