// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "servosim/diagnostics.h"
#include "servosim/math.h"
#include "wbt/eras/version.h"
#include "wbt/schema/node_types.h"

namespace servosim::wbt {

struct Node;
/// Nodes are shared, since USE refers to the same node. They never form a cycle.
using NodePtr = std::shared_ptr<const Node>;

/// NULL in the place of a node that is left out because only its looks are lost, such as an
/// appearance whose PROTO is missing. All its copies are NULL, too, and is_lost() knows them: so a
/// Shape is marked that gets its appearance by a parameter, a default or a USE.
inline NodePtr lost_node() { return {std::make_shared<char>(), nullptr}; }
inline bool is_lost(const NodePtr& node) { return node == nullptr && node.use_count() > 0; }

struct Vec2 {
  double x = 0.0;
  double y = 0.0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};

using AnyValue = std::variant<bool, std::int32_t, double, std::string, Vec2, Vec3, AxisAngle,
                              NodePtr, std::vector<bool>, std::vector<std::int32_t>,
                              std::vector<double>, std::vector<std::string>, std::vector<Vec2>,
                              std::vector<Vec3>, std::vector<AxisAngle>, std::vector<NodePtr>>;

/// The value of a field. SFColor is a Vec3; NULL in an SFNode is an empty NodePtr.
struct Value : AnyValue {
  using variant::variant;
  using variant::operator=;
  Value() = default;
  /// @throws std::bad_alloc; then nothing was made. (If a copy of std::variant itself fails,
  ///   libstdc++ 12 destroys an alternative that was never made, if all are of its own types.)
  Value(const Value& other) : AnyValue() { copy(other); }
  Value(Value&&) noexcept = default;
  Value& operator=(const Value& other) {
    Value made(other);
    return *this = std::move(made);
  }
  Value& operator=(Value&&) noexcept = default;
  ~Value() = default;

 private:
  void copy(const AnyValue& other) {
    std::visit([this](const auto& value) { emplace<std::decay_t<decltype(value)>>(value); }, other);
  }
};

/// A field that is in the file, or that a PROTO has set. Omitted fields are not stored.
struct Field {
  const FieldType* type = nullptr;  ///< its row in the field table
  SourceLocation where;             ///< location of the field's name
  Value value;
};

/// A parameter of a PROTO instance.
struct Parameter {
  std::string name;
  ValueType type = ValueType::SFFloat;
  Value value;
  Value default_value;
};

/// A field of a PROTO's interface.
struct InterfaceField {
  std::string name;
  ValueType type = ValueType::SFFloat;
  Value default_value;
  bool used_by_template = false;  ///< a template of the PROTO uses it
};

/// The declaration in one PROTO file; its instances share it.
struct ProtoInterface {
  std::string name;
  std::string path;  ///< path of its file; empty for a built-in PROTO
  Version user;      ///< version of the file that uses it, if its own file has no header
  std::vector<InterfaceField> fields;
};

/// A field in the body of an instance that gets its value by IS.
struct Connection {
  std::uint32_t parameter = 0;       ///< index of ProtoInterface::fields
  std::uint32_t node = 0;            ///< Node::id of the node with the field
  const FieldType* field = nullptr;  ///< null if a template in the body uses the parameter
};
/// Sorts by parameter. Connections of one parameter keep their order.
void sort_connections(std::vector<Connection>& connections);
/// Returns the connections of one parameter from sorted ones.
std::span<const Connection> connections_of(std::span<const Connection> sorted,
                                           std::uint32_t parameter);

/// The PROTO and the values from which an instance was made. `given` has as many items as the
/// interface has fields. Nodes among its values are also in the body, with the same ids, if a field
/// of the body contains them.
struct ProtoInstance {
  std::shared_ptr<const ProtoInterface> interface;
  /// Values by parameter, including default values that contain nodes.
  std::vector<std::optional<Value>> given;
  std::vector<Connection> connections;
  /// The instance that is its root node if the PROTO is derived from another one.
  std::shared_ptr<const ProtoInstance> base;

  const Value& value(std::size_t parameter) const {
    return given[parameter] ? *given[parameter] : interface->fields[parameter].default_value;
  }
};

/// The PROTO whose root a node is; all of it is empty for a node that is no such root.
struct ProtoOrigin {
  std::string name;
  std::string project;  ///< its folder; may be empty
  /// Its parameters if a template may use them; otherwise null.
  std::shared_ptr<const std::vector<Parameter>> parameters;
  /// The instance, for changes while the world runs.
  std::shared_ptr<const ProtoInstance> instance;
};

/// A node of a world after PROTO expansion. `type` is always a row of the node table; for a PROTO
/// instance it is the type of the PROTO's root node.
struct Node {
  const NodeType* type = nullptr;
  /// Identifies the node as it was read, from 1 on. Copies keep it, and all places of a USE have
  /// it. 0 means that the program has made the node.
  std::uint32_t id = 0;
  std::string def;       ///< DEF name; may be empty
  SourceLocation where;  ///< location of the type name
  Version version;       ///< version of the file that contains it; it decides axes and defaults
  ProtoOrigin proto;
  std::vector<Field> fields;
  std::uint32_t height = 1;    ///< levels of nodes from here down, this one included
  std::uint32_t expanded = 1;  ///< nodes from here down; each USE counts like a copy

  /// Returns the field as written, or nullptr if it has its default value.
  const Field* find(std::string_view field_name) const;
  bool has(std::string_view field_name) const { return find(field_name) != nullptr; }
  /// Returns the location for a message about a field: that of the field, or that of the node if
  /// the field has its default value.
  SourceLocation where_of(std::string_view field_name) const;

  // These return the value of a field: the written value, else the default of the table row for
  // this node's version. @throws std::out_of_range if the type has no such field,
  // std::bad_variant_access if the field has another type. Both are mistakes of the caller.
  bool boolean(std::string_view field_name) const;
  std::int32_t integer(std::string_view field_name) const;
  double number(std::string_view field_name) const;
  const std::string& string(std::string_view field_name) const;
  Vec3 vec3(std::string_view field_name) const;
  AxisAngle rotation(std::string_view field_name) const;
  const NodePtr& node(std::string_view field_name) const;
  const std::vector<NodePtr>& nodes(std::string_view field_name) const;
  const std::vector<double>& numbers(std::string_view field_name) const;
  const std::vector<std::int32_t>& integers(std::string_view field_name) const;
  const std::vector<std::string>& strings(std::string_view field_name) const;
  const std::vector<Vec3>& vec3s(std::string_view field_name) const;

  /// Returns the value of a field of any type.
  const Value& value(std::string_view field_name) const;
};

/// Calls `action(node)` for each node that a value contains.
template <typename Action>
void for_each_node(const Value& value, const Action& action) {
  if (const auto* one = std::get_if<NodePtr>(&value)) {
    if (*one) {
      action(*one);
    }
  } else if (const auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
    for (const NodePtr& node : *list) {
      if (node) {
        action(node);
      }
    }
  }
}

/// Does the same for the fields of a node.
template <typename Action>
void for_each_child(const Node& node, const Action& action) {
  for (const Field& field : node.fields) {
    for_each_node(field.value, action);
  }
}

/// The DEF names of a text up to a position in it. USE refers to the node of the last DEF word with
/// that name. If a descendant of a node repeats the node's name, the name stays with the descendant
/// after the node ends. Names are references to the caller's text.
template <class NodePointer>
class DefScope {
 public:
  /// Call it at a DEF word. @return its number, for leave()
  std::uint32_t enter() { return ++words_; }

  /// Call it at the end of the node of that DEF word.
  void leave(std::string_view name, std::uint32_t word, NodePointer node) {
    Definition& last = last_[name];
    if (last.word < word) {
      last = {word, std::move(node)};
    }
  }

  /// Records a DEF that Webots does not see because it is in a value that Webots skips. USE of the
  /// name is null as long as there is no other DEF.
  void skip(std::string_view name) { last_.try_emplace(name); }

  /// Returns the node that USE of that name refers to here; null if no DEF of that name has ended.
  const NodePointer* find(std::string_view name) const {
    const auto found = last_.find(name);
    return found != last_.end() ? &found->second.node : nullptr;
  }

 private:
  struct Definition {
    std::uint32_t word = 0;
    NodePointer node{};
  };

  std::uint32_t words_ = 0;
  std::unordered_map<std::string_view, Definition> last_;
};

/// Returns whether a text can refer to `node` by USE of its name.
inline bool is_use(const DefScope<const Node*>& scope, const Node& node) {
  const Node* const* last = scope.find(node.def);
  return last != nullptr && *last == &node && allows_use(*node.type);
}

}  // namespace servosim::wbt
