// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wbt/node.h"
#include "wbt/ordered_places.h"

namespace servosim::wbt {

/// The place of a node. Ids are Node::id; 0 is the root above the top level.
struct TreeEntry {
  const Node* node = nullptr;
  std::uint32_t parent = 0;  ///< for a value of a PROTO instance, that instance
  std::uint32_t above = 0;   ///< the node that has it in a field, inside the body of an instance
  bool internal = false;     ///< belongs to a PROTO's body and cannot be changed
  /// Is in a field of a node; otherwise it is only a value of a PROTO instance.
  bool in_body = false;
  bool collides = false;  ///< is in a boundingObject, perhaps in addition to other places
};

/// One of the places of a node, and the properties that the place adds to those of the owner.
struct NodePlace {
  std::uint32_t owner = 0;  ///< the node that has it; 0 means the top level
  bool as_value = false;    ///< it is a value of the PROTO instance whose root is the owner
  bool internal = false;
  bool collides = false;
  friend bool operator==(const NodePlace&, const NodePlace&) = default;
};

/// Calls `action(value, place)` for each value of a node in the order of the file. The values of
/// its PROTO instance come before its body, which contains them again.
template <typename SomeNode, typename Action>
void for_each_slot(SomeNode& node, const Action& action) {
  NodePlace place{node.id, true};
  for (const ProtoInstance* i = node.proto.instance.get(); i != nullptr; i = i->base.get()) {
    for (const auto& value : i->given) {
      if (value) {
        action(*value, place);
      }
    }
    place.internal = true;  // values that a derived PROTO passes to its base
  }
  for (auto& field : node.fields) {
    action(field.value, NodePlace{node.id, false, node.proto.instance != nullptr,
                                  field.type->name == "boundingObject"});
  }
}

/// The nodes of a world by id, by DEF name and in the order of the file. The cost of adding and
/// removing nodes is proportional to their number.
///
/// Invariant: `records_` has each node of the world once, with all its places in the order in which
/// they are visited. `order_` has the begin and the end of each node, so the nodes below it are
/// between both.
///
/// Threads: one at a time.
class TreeIndex {
 public:
  struct Record : TreeEntry {
    std::vector<NodePlace> places;
    OrderedPlaces::Place begin;
    OrderedPlaces::Place end;
    std::uint64_t owned = 0;  ///< generation in which only the Tree had this node: see Tree::own()
    std::uint64_t instance_owned = 0;  ///< the same for its instance
  };

  TreeIndex() = default;
  TreeIndex(const TreeIndex&) = delete;  // places refer to its own order
  TreeIndex& operator=(const TreeIndex&) = delete;
  TreeIndex(TreeIndex&&) = default;
  TreeIndex& operator=(TreeIndex&&) = default;

  /// Makes it the index of a world.
  void set(const std::vector<NodePtr>& nodes);
  /// Changes the index of the world `before` to that of another world, which shares what stays the
  /// same. It visits nodes that differ, and the nodes in them.
  /// @return false if it must be set() instead; it is then the index of no world
  bool follow(const std::vector<NodePtr>& before, const std::vector<NodePtr>& now);
  Record* find(std::uint32_t id);
  const Record* find(std::uint32_t id) const;

  /// Adds nodes that are new at a place: the values [at, at + count) of `list`.
  /// @param slot  the value that contains the list, to find what precedes it; null: the top level
  void add(const std::vector<NodePtr>& list, std::size_t at, std::size_t count,
           const NodePlace& place, const Value* slot);
  /// Adds a node at all its places, after all nodes that begin before `next`.
  void add(const NodePtr& node, const std::vector<NodePlace>& places, OrderedPlaces::Place next);
  /// Removes a node from one place, and nodes that are then in no place.
  void remove(const Node& node, const NodePlace& place);
  /// Returns the ids of nodes that remove() has removed from the world since the last call.
  std::vector<std::uint32_t> take_removed() { return std::exchange(removed_, {}); }
  /// Returns whether it must be set() again because data of a node may come from a removed place.
  bool is_stale() const;

  std::uint32_t find_def(std::string_view path) const;
  std::uint32_t find_def_in(std::uint32_t proto, std::string_view path) const;
  std::vector<std::string> defs() const;
  bool is_below(std::uint32_t id, std::uint32_t ancestor) const;
  /// Returns how many nodes it has visited so far, for tests of the cost of edits.
  std::uint64_t visits() const { return visits_; }

 private:
  struct Visit {
    std::uint32_t parent = 0;
    bool internal = false;
    bool collides = false;
    bool as_value = false;
  };
  struct Earlier {
    bool operator()(const Record* a, const Record* b) const {
      return OrderedPlaces::is_before(a->begin, b->begin);
    }
  };
  using Named = std::set<const Record*, Earlier>;
  using Names = std::map<std::string, Named, std::less<>>;

  void visit(const NodePtr& node, const Visit& how, const NodePlace* place,
             OrderedPlaces::Place next);
  bool follow_list(std::span<const NodePtr> before, const std::vector<NodePtr>& now,
                   const NodePlace& place, const Value* slot);
  bool follow_node(const Node& before, const Node& now);
  Visit how_at(const NodePlace& place) const;
  OrderedPlaces::Place place_behind(const std::vector<NodePtr>& list, std::size_t at,
                                    const NodePlace& place, const Value* slot);
  bool is_first_at(const NodePtr& node, const NodePlace& place);
  const Named* named(bool internal, std::string_view def) const;
  bool matches(const Record& record, std::string_view path, std::uint32_t top) const;
  const Record* next_candidate(const Named& all, const Record& failed, std::string_view path) const;
  bool is_known_without(const Record& record, const NodePlace& gone) const;
  void erase(Record& record);

  std::unordered_map<std::uint32_t, Record> records_;
  OrderedPlaces order_;
  std::array<Names, 2> names_;  // nodes by DEF name; the second element has those in PROTO bodies
  std::vector<std::uint32_t> removed_;
  std::vector<std::uint32_t> doubtful_;  // nodes that had a place that was removed
  bool is_doubtful_ = false;             // whether a place in the order is unknown
  mutable std::uint64_t visits_ = 0;
};

}  // namespace servosim::wbt
