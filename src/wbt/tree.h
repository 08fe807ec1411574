// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wbt/edits.h"
#include "wbt/node.h"
#include "wbt/tree_index.h"
#include "wbt/world_file.h"

namespace servosim::wbt {

/// Sets a value that the program has made.
void set_value(Node& node, const FieldType& field, Value value);
/// Sets a parameter of the instance whose root is `node`; `level` is that of instance_at().
void set_parameter(Node& node, std::uint32_t parameter, Value value, int level = 1);

/// The field to which a key refers.
struct FieldView {
  std::string_view name;
  ValueType type = ValueType::SFFloat;
  const Value* value = nullptr;  ///< the value as it is in the tree
};

/// Returns the instance on `level` >= 1, or null.
const ProtoInstance* instance_at(const Node& node, int level);
/// Returns the keys on a level in the order of Webots: common fields come first.
std::vector<FieldKey> field_keys(const Node& node, int level);
/// Returns the field of that name on a level.
std::optional<FieldKey> find_field(const Node& node, int level, std::string_view name);
/// Returns nothing if there is no such field.
std::optional<FieldView> field_view(const Node& node, FieldKey key);

/// The fields that change together with a field, all of the node table: the field itself, or the
/// fields in the body that are connected to a parameter.
struct Targets {
  std::vector<Connection> fields;
  bool needs_new_instance = false;  ///< a template uses the parameter: see reinstantiate()
};
Targets targets_of(const Node& node, FieldKey key);

/// A world's nodes by id, and changes of them. A WorldFile that others also have is not changed: an
/// edit makes a new one, which shares what stays. As long as nobody else has it, further edits
/// change this one, so that their cost does not grow with the world.
///
/// An edit that fails, for lack of memory, changes nothing: before each change in place, an action
/// that undoes it is stored. Undoing needs no memory. The index is then rebuilt, at the latest when
/// it is next needed.
///
/// Invariant: index_ is that of file() if is_indexed_. Nodes whose Record::owned is generation_,
/// and all nodes above them, are only in this file. Between two edits undo_ is empty.
class Tree {
 public:
  explicit Tree(std::shared_ptr<const WorldFile> file);

  const std::shared_ptr<const WorldFile>& file() const { return file_; }
  /// Returns null if there is no such node. The result is valid until a change.
  const TreeEntry* find(std::uint32_t id) const { return index().find(id); }
  /// Returns the first node, in the order of the file, with that DEF name or path of DEF names with
  /// dots; 0 if there is none. PROTO bodies are ignored.
  std::uint32_t find_def(std::string_view path) const { return index().find_def(path); }
  /// Returns the DEF names that find_def() knows, in the order of the file.
  std::vector<std::string> defs() const { return index().defs(); }
  /// Does the same as find_def() in the body of the instance `proto`.
  std::uint32_t find_def_in(std::uint32_t proto, std::string_view path) const {
    return index().find_def_in(proto, path);
  }
  /// Returns whether `id` is `ancestor` or is below it.
  bool is_below(std::uint32_t id, std::uint32_t ancestor) const {
    return index().is_below(id, ancestor);
  }
  /// Returns the world without its nodes, except for WorldInfo, as read_nodes() needs it.
  WorldFile heading() const;

  /// @param followers  number of others that have file() and expect it to change with this tree
  /// @throws std::length_error, see rewritten(), or std::bad_alloc; nothing changes
  void apply(const Edits& edits, long followers = 0);
  /// Replaces the file. What is the same as before is not visited.
  void set_file(std::shared_ptr<const WorldFile> file);
  /// Returns how many nodes were visited so far, for tests of the cost of edits.
  std::uint64_t visits() const { return index_.visits() + visits_; }

 private:
  using Record = TreeIndex::Record;

  const TreeIndex& index() const;
  void make_index();
  bool index_follows(const WorldFile& file);
  void note_top();
  void apply_in_place(const Edits& edits);
  void take_back(const std::shared_ptr<const WorldFile>& former) noexcept;
  bool may_change_in_place(const Edits& edits) const;
  // The depth of a node, counted in fields on the longest path, and the number of paths.
  struct Standing {
    int depth = 0;
    std::uint64_t count = 1;
  };
  Standing standing_of(std::uint32_t id) const;
  Standing standing_of(std::uint32_t id, std::unordered_map<std::uint32_t, Standing>& known) const;
  WorldFile& own_file();
  Node& own(Record& record);
  ProtoInstance& own_instance(Record& record);
  void change_value(Record& record, const std::function<void(Node&)>& how);
  Value& own_slot(Record& record, FieldKey key);
  NodePtr replace(const Record& record, const NodePtr& by);
  void change_nodes(const NodesChange& change);
  void change_list(const NodesChange& change, Node& owner, std::vector<NodePtr>& list,
                   const NodePlace& place, const Value* slot);
  void exchange(std::uint32_t id, const NodePtr& by);
  void change_top(const Edits& edits);
  void resize(std::uint32_t id, const Node* before, const Node* after);
  void resize(std::uint32_t id, std::int64_t grows, std::uint32_t was, std::uint32_t now);
  std::uint32_t height_of(const Node& node, std::uint32_t most) const;

  std::shared_ptr<const WorldFile> file_;
  TreeIndex index_;
  bool is_indexed_ = false;
  std::vector<std::function<void()>> undo_;  // none of them throws; the last one is executed first
  std::uint64_t generation_ = 1;
  std::uint32_t world_info_ = 0;  // the last WorldInfo, which is never removed
  std::uint64_t expanded_ = 0;    // sum of Node::expanded over the top level
  mutable std::uint64_t visits_ = 0;
};

/// Reads the nodes in a text as if the text was in the world's file: PROTOs are found as for that
/// file, but DEF names are those of the text. Their ids follow world.last_id, which increases, and
/// the text's EXTERNPROTO lines are added to those of the world. Errors go to `diagnostics`. The
/// nodes are not added to the world. `label` names the text in messages.
std::vector<NodePtr> read_nodes(WorldFile& world, std::string text, Diagnostics& diagnostics,
                                const std::string& label = "imported node");

/// Expands the instance whose root is `root` again with other values. Nodes of the new body get the
/// ids of those in the old body that are in the same place. Returns null if its PROTO cannot be
/// read.
NodePtr reinstantiate(WorldFile& world, const Node& root, std::vector<std::optional<Value>> given,
                      Diagnostics& diagnostics);

/// A parameter of the instance whose root is `node`.
struct ParameterPlace {
  std::uint32_t node = 0;
  int level = 1;  ///< level of instance_at()
  std::uint32_t number = 0;
  ValueType type = ValueType::SFFloat;
};

/// Returns the parameters from which field `field` of `node` gets its value by IS: parameters of
/// the instance whose body contains it, of those from which that one is derived, and of the
/// instances around it.
std::vector<ParameterPlace> parameters_of(const Tree& tree, std::uint32_t node,
                                          const FieldType& field);

}  // namespace servosim::wbt
