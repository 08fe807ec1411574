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

/// Where a node is. Numbers are Node::id; 0 is the root, above the top level.
struct TreeEntry {
  const Node* node = nullptr;
  std::uint32_t parent = 0;  ///< for a value of a PROTO instance, that instance
  std::uint32_t above = 0;   ///< the node that has it in a field: inside the body of an instance
  bool internal = false;     ///< of a PROTO's body: cannot be changed
  bool in_body = false;      ///< is in a field of a node; else only a PROTO has it as a value
  bool collides = false;     ///< is in a boundingObject, perhaps among other places
};

/// One of the places at which a node is, and what it adds to what the owner is.
struct NodePlace {
  std::uint32_t owner = 0;  ///< the node that has it; 0: the top level
  bool as_value = false;    ///< it is a value of the PROTO instance that the owner is the root of
  bool internal = false;
  bool collides = false;
  friend bool operator==(const NodePlace&, const NodePlace&) = default;
};

/// `action(value, place)` for each value of a node, in the order of the file: those of its PROTO
/// instance come before its body, which holds them again.
template <typename SomeNode, typename Action>
void for_each_slot(SomeNode& node, const Action& action) {
  NodePlace place{node.id, true};
  for (const ProtoInstance* i = node.instance.get(); i != nullptr; i = i->base.get()) {
    for (const auto& value : i->given) {
      if (value) {
        action(*value, place);
      }
    }
    place.internal = true;  // what a derived PROTO gives to its base
  }
  for (auto& field : node.fields) {
    action(field.value, NodePlace{node.id, false, node.instance != nullptr,
                                  field.type->name == "boundingObject"});
  }
}

/// The nodes of a world by number, by DEF name and in the order of the file. What comes and goes
/// costs as much as it has nodes.
///
/// Invariant: `records_` has each node of the world once, with all its places, in the order in
/// which they are visited; `order_` has where each begins and ends, so that what is below a node is
/// between both.
///
/// Threads: one at a time.
class TreeIndex {
 public:
  struct Record : TreeEntry {
    std::vector<NodePlace> places;
    OrderedPlaces::Place begin;
    OrderedPlaces::Place end;
    std::uint64_t owned = 0;           ///< when only the Tree had this node: see Tree::own()
    std::uint64_t instance_owned = 0;  ///< the same of its instance
  };

  TreeIndex() = default;
  TreeIndex(const TreeIndex&) = delete;  // places are those of its own order
  TreeIndex& operator=(const TreeIndex&) = delete;
  TreeIndex(TreeIndex&&) = default;
  TreeIndex& operator=(TreeIndex&&) = default;

  /// Makes it that of a world.
  void set(const std::vector<NodePtr>& nodes);
  /// Makes it, which is that of the world `before`, that of another world, which shares what stays
  /// the same. It looks at nodes that differ and at what they hold.
  /// @return false if it must be set() instead; it is then that of no world
  bool follow(const std::vector<NodePtr>& before, const std::vector<NodePtr>& now);
  Record* find(std::uint32_t id);
  const Record* find(std::uint32_t id) const;

  /// Adds nodes that have come to one place, the values `at` to `at + count` of `list`.
  /// @param slot  the value that the list is, to find what is before it; null: the top level
  void add(const std::vector<NodePtr>& list, std::size_t at, std::size_t count,
           const NodePlace& place, const Value* slot);
  /// Adds a node at all its places, behind all nodes that begin before `next`.
  void add(const NodePtr& node, const std::vector<NodePlace>& places, OrderedPlaces::Place next);
  /// Takes a node away from one place, and what is then nowhere any more.
  void remove(const Node& node, const NodePlace& place);
  /// Numbers of nodes that remove() has taken out of the world since the last call.
  std::vector<std::uint32_t> take_removed() { return std::exchange(removed_, {}); }
  /// Whether it has to be set() again: what is known of a node may be of a place that is gone.
  bool is_stale() const;

  std::uint32_t find_def(std::string_view path) const;
  std::uint32_t find_def_in(std::uint32_t proto, std::string_view path) const;
  std::vector<std::string> defs() const;
  bool is_below(std::uint32_t id, std::uint32_t ancestor) const;
  /// How often it has looked at a node so far, for tests of what an edit costs.
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
  void erase(Record& record);

  std::unordered_map<std::uint32_t, Record> records_;
  OrderedPlaces order_;
  std::array<Names, 2> names_;  // nodes with a DEF name; those of PROTO bodies are the second
  std::vector<std::uint32_t> removed_;
  std::vector<std::uint32_t> doubtful_;  // that stood in a place that is gone
  bool is_doubtful_ = false;             // a place in the order is unknown
  mutable std::uint64_t visits_ = 0;
};

}  // namespace servosim::wbt
