// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wbt/tree_rewrite.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// Where a node stands. Numbers are Node::id; 0 is the root, above the top level.
struct TreeEntry {
  const Node* node = nullptr;
  std::uint32_t parent = 0;  ///< for a value of a PROTO instance, that instance
  std::uint32_t above = 0;   ///< the node that has it in a field: inside the body of an instance
  std::uint32_t order = 0;   ///< counts nodes in the order of the file
  bool internal = false;     ///< of a PROTO's body: cannot be changed
  bool in_body = false;      ///< stands in a field of a node; else only a PROTO has it as a value
  bool collides = false;     ///< stands in a boundingObject, perhaps among other places
};

/// A world's nodes by number, and changes of them. A change makes a new WorldFile; the old one
/// stays what it is.
class Tree {
 public:
  explicit Tree(std::shared_ptr<const WorldFile> file);

  const std::shared_ptr<const WorldFile>& file() const { return file_; }
  /// Null if there is no such node.
  const TreeEntry* find(std::uint32_t id) const;
  /// The first node of that DEF name, or path of them with dots, in the order of the file; 0 if
  /// there is none. PROTO bodies are passed over.
  std::uint32_t find_def(std::string_view path) const;
  /// The same in the body of the instance `proto`.
  std::uint32_t find_def_in(std::uint32_t proto, std::string_view path) const;
  /// Whether `id` is `ancestor` or stands below it.
  bool is_below(std::uint32_t id, std::uint32_t ancestor) const;

  /// @throws std::length_error, see rewritten(); nothing changes
  void apply(const Edits& edits);
  void set_file(std::shared_ptr<const WorldFile> file);

 private:
  struct Visit {
    std::uint32_t parent = 0;
    bool internal = false;
    bool collides = false;
    bool as_value = false;
  };
  void visit(const NodePtr& node, const Visit& how);
  void visit_value(const Value& value, const Visit& how);
  bool matches(std::uint32_t id, std::string_view path, std::uint32_t top) const;

  std::shared_ptr<const WorldFile> file_;
  std::unordered_map<std::uint32_t, TreeEntry> entries_;
  std::vector<std::uint32_t> order_;
};

/// The nodes that a text holds, read as if it stood in the world's file: PROTOs are found as for
/// it, but DEF names are the text's own. Their numbers follow world.last_id, which rises, and the
/// text's EXTERNPROTO lines follow those of the world. What is wrong goes to `diagnostics`; no node
/// is in the world yet.
std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics);

/// The instance that `root` is the root of, made anew with other values. Nodes of the new body have
/// the numbers of those in the old one that stand at the same place. Null if it cannot be had.
NodePtr instantiate_again(WorldFile& world, const Node& root,
                          std::vector<std::optional<Value>> given, Diagnostics& diagnostics);

/// A parameter of the instance that `node` is the root of.
struct ParameterPlace {
  std::uint32_t node = 0;
  int level = 1;  ///< as of instance_at()
  std::uint32_t number = 0;
  ValueType type = ValueType::SFFloat;
};

/// The parameters that field `field` of `node` IS: of the instance whose body it stands in, of
/// those that one is derived from, and of those around it.
std::vector<ParameterPlace> parameters_of(const Tree& tree, std::uint32_t node,
                                          const FieldType& field);

}  // namespace servosim::wbt
