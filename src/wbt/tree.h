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

/// Sets a value the program made.
void set_value(Node& node, const FieldType& field, Value value);
/// Sets a parameter of the instance that `node` is the root of; `level` as of instance_at().
void set_parameter(Node& node, std::uint32_t parameter, Value value, int level = 1);

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

/// A world's nodes by number, and changes of them. A WorldFile that others have, too, is not
/// changed: an edit makes a new one, which shares what stays. While nobody else has it, further
/// edits change that one, so that their cost does not grow with the world.
///
/// An edit that fails, for want of memory, changes nothing: each change in place is preceded by
/// what takes it back, which needs no memory. The index is then built again, at the latest when it
/// is next asked.
///
/// Invariant: index_ is that of file() if is_indexed_. Nodes whose Record::owned is generation_,
/// and all above them, are in this file only. Between two edits undo_ is empty.
class Tree {
 public:
  explicit Tree(std::shared_ptr<const WorldFile> file);

  const std::shared_ptr<const WorldFile>& file() const { return file_; }
  /// Null if there is no such node. Valid until a change.
  const TreeEntry* find(std::uint32_t id) const { return index().find(id); }
  /// The first node of that DEF name, or path of them with dots, in the order of the file; 0 if
  /// there is none. PROTO bodies are passed over.
  std::uint32_t find_def(std::string_view path) const { return index().find_def(path); }
  /// The DEF names that it knows, in the order of the file.
  std::vector<std::string> defs() const { return index().defs(); }
  /// The same as find_def() in the body of the instance `proto`.
  std::uint32_t find_def_in(std::uint32_t proto, std::string_view path) const {
    return index().find_def_in(proto, path);
  }
  /// Whether `id` is `ancestor` or stands below it.
  bool is_below(std::uint32_t id, std::uint32_t ancestor) const {
    return index().is_below(id, ancestor);
  }
  /// The world without its nodes, but for WorldInfo: what read_nodes() asks for.
  WorldFile heading() const;

  /// @param followers  how many others have file() and want it to change with this tree
  /// @throws std::length_error, see rewritten(), or std::bad_alloc; nothing changes
  void apply(const Edits& edits, long followers = 0);
  /// What is the same as before is not looked at.
  void set_file(std::shared_ptr<const WorldFile> file);
  /// How often nodes were looked at so far, for tests of what an edit costs.
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
  // The levels of fields down to a node, the longest way, and the number of ways.
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
  std::vector<std::function<void()>> undo_;  // none of which throws; the last one comes first
  std::uint64_t generation_ = 1;
  std::uint32_t world_info_ = 0;  // the last WorldInfo, which is never removed
  std::uint64_t expanded_ = 0;    // Node::expanded of all nodes of the top level
  mutable std::uint64_t visits_ = 0;
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
