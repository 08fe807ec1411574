// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/instance_reader.h"
#include "wbt/lexer.h"
#include "wbt/node.h"
#include "wbt/proto/proto.h"
#include "wbt/text_reader.h"

namespace servosim::wbt {

/// Reads the nodes of one file or of one PROTO body, which is one scope of DEF names.
///
/// It is recursive with one level per node; ParseContext::depth bounds the stack. A syntax error
/// without recovery ends the reading of this text: in a world it is an error, and a PROTO cannot be
/// used. At a limit an error is reported, ParseContext::failed is set, and all reading ends.
///
/// Invariant: ParseContext::depth counts the nodes that are open, at most kMaxNodeDepth.
class NodeParser {
 public:
  /// The owner of a value, for error messages.
  struct Place {
    const Token& field;
    std::string_view owner;  // node type or PROTO
  };

  /// `environment` defines the parameters for IS; it is null outside of PROTO bodies.
  NodeParser(ParseContext& reading, const Source& source, std::size_t offset = 0,
             const Environment* environment = nullptr);
  NodeParser(const NodeParser&) = delete;
  NodeParser& operator=(const NodeParser&) = delete;

  /// Returns the text, at the position up to which nodes were read.
  TextReader& text() { return text_; }
  /// Reads everything up to the end of a world file. EXTERNPROTO lines go to `externs`, which
  /// belongs to the Source; importable ones also go to `importable`.
  std::vector<NodePtr> read_top_level(std::vector<std::string>& externs,
                                      std::vector<std::string>& importable);
  /// Reads the only node of a PROTO body.
  NodePtr read_root();
  /// Reads the next node; returns null if it was left out. `field` is the field that contains it;
  /// may be empty.
  NodePtr read_node(std::string_view field);
  /// Returns nothing after a value that does not fit; this is reported, and the value is skipped.
  std::optional<Value> read_value(ValueType type, const Place& place);
  /// Returns the index of the parameter of the PROTO that `IS name` names.
  std::optional<std::uint32_t> parameter_ahead() const;
  /// Returns an instance of a PROTO with other values: the body that results from them; null if
  /// there is none.
  NodePtr instantiate(const Proto& proto, std::vector<std::optional<Value>> given);

 private:
  // Functions on the recursive path need small stack frames. What they rarely need is therefore in
  // functions that are not inlined.
  [[gnu::noinline]] NodePtr read_use(std::string_view field);
  [[gnu::noinline]] NodePtr read_defined_node(std::string_view field);
  NodePtr read_typed_node(const Token& type, std::string_view def, std::string_view field);
  NodePtr read_built_in(const NodeType& type, const Token& name);
  [[gnu::noinline]] NodePtr fault_instead_of_brace(const Token& type);
  void read_field(Node& node, const Token& name);
  [[gnu::noinline]] const FieldType* begin_field(const Node& node, const Token& name);
  [[gnu::noinline]] void read_flat_field(Node& node, const FieldType& type, const Token& name);
  [[gnu::noinline]] void set_value(Node& node, const FieldType& type, const Token& name,
                                   std::optional<Value>& value);
  [[gnu::noinline]] void connect(const Node& node, const FieldType& field);
  [[gnu::noinline]] void finish(Node& node, std::string_view written_type);
  [[gnu::noinline]] void unplug_other_type(Node& slot);

  std::optional<Value> read_node_value(ValueType type, const Place& place);
  std::vector<NodePtr> read_node_list(const Token& field);
  [[gnu::noinline]] std::optional<Value> read_is(ValueType type, const Place& place);
  [[gnu::noinline]] std::optional<Value> read_flat_value(ValueType type, const Place& place);
  [[gnu::noinline]] void refuse_node_value(const Place& place);
  [[gnu::noinline]] void fault_in_list(const Token& field);

  ParseContext& reading_;
  const Source& source_;
  const Environment* environment_;
  TextReader text_;
  std::vector<std::string_view> open_defs_;
  InstanceReader instances_;
};

}  // namespace servosim::wbt
