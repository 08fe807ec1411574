// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// Changes of a tree by the numbers of its nodes. A node that stands in several places, or as a
/// value of a PROTO instance and in its body, changes in all of them.
struct Edits {
  std::unordered_map<std::uint32_t, std::function<void(Node&)>> changes;
  /// Nodes that are replaced by another one. Null: taken out of lists; an SFNode becomes NULL.
  std::unordered_map<std::uint32_t, NodePtr> replaced;

  void change(std::uint32_t node, std::function<void(Node&)> how);
  /// Taken out of the top level; other places of a USE stay.
  std::vector<std::uint32_t> removed;
  /// On the top level, each before the node of that index as it then is.
  std::vector<std::pair<std::size_t, NodePtr>> inserted;
  /// What reading nodes for them made of WorldFile::last_id, if it did.
  std::uint32_t last_id = 0;
  /// EXTERNPROTO lines that those nodes came with; of a PROTO that has one already the old stays.
  std::vector<std::string> externs;
  /// Nodes that come with the changes from outside: see WorldFile::imported.
  std::vector<NodePtr> imported;

  bool empty() const {
    return changes.empty() && replaced.empty() && removed.empty() && inserted.empty();
  }
};

/// The world with these changes; shares all that stays.
/// @throws std::length_error if it would have more nodes, or more levels of them, than a world may
WorldFile rewritten(const WorldFile& world, const Edits& edits);

/// Sets a value the program made.
void set_value(Node& node, const FieldType& field, Value value);
/// Sets a parameter of the instance that `node` is the root of; `level` as of instance_at().
void set_parameter(Node& node, std::uint32_t parameter, Value value, int level = 1);

/// A field of a node as a Supervisor sees it. `level` 0: of the node itself, for a PROTO instance
/// of the node that its body is; 1: of the PROTO; from 2 on: of the PROTO it is derived from.
struct FieldKey {
  std::uint8_t level = 0;
  std::uint16_t number = 0;  ///< index of NodeType::fields, or of ProtoInterface::fields
  friend bool operator==(const FieldKey&, const FieldKey&) = default;
};

/// What a key stands for.
struct FieldView {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  const Value* value = nullptr;  ///< as it stands in the tree
};

/// The instance on `level` >= 1, or null.
const ProtoInstance* instance_at(const Node& node, int level);
/// The keys on a level in the order of Webots: what many nodes have first.
std::vector<FieldKey> field_keys(const Node& node, int level);
/// The field of that name on a level.
std::optional<FieldKey> find_field(const Node& node, int level, std::string_view name);
/// Nothing if there is no such field.
std::optional<FieldView> field_view(const Node& node, FieldKey key);

/// The fields that change with field `key`, all of the node table: itself, or those in the body
/// that are connected to a parameter.
struct Targets {
  std::vector<Connection> fields;
  bool needs_new_instance = false;  ///< a template uses the parameter: see reinstantiate()
};
Targets targets_of(const Node& node, FieldKey key);

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
/// is not changed.
///
/// Invariant: entries_ has each node of file() once, by its number, and order_ has those numbers in
/// the order of the file.
class Tree {
 public:
  explicit Tree(std::shared_ptr<const WorldFile> file);

  const std::shared_ptr<const WorldFile>& file() const { return file_; }
  /// Null if there is no such node.
  const TreeEntry* find(std::uint32_t id) const;
  /// The first node of that DEF name, or path of them with dots, in the order of the file; 0 if
  /// there is none. PROTO bodies are passed over.
  std::uint32_t find_def(std::string_view path) const;
  /// The DEF names that it knows, in the order of the file.
  std::vector<std::string> defs() const;
  /// The same as find_def() in the body of the instance `proto`.
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
/// it, but DEF names are those of the text. Their numbers follow world.last_id, which rises, and
/// the text's EXTERNPROTO lines follow those of the world. What is wrong goes to `diagnostics`; no
/// node is in the world yet. `label` names the text in messages.
std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics,
                                const std::string& label = "imported node");

/// The instance that `root` is the root of, expanded again with other values. Nodes of the new body
/// get the numbers of those in the old one that stand at the same place. Null if its PROTO cannot
/// be read.
NodePtr reinstantiate(WorldFile& world, const Node& root, std::vector<std::optional<Value>> given,
                      Diagnostics& diagnostics);

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
