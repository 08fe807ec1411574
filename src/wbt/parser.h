// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wbt/eras/legacy.h"
#include "wbt/lexer.h"
#include "wbt/node.h"
#include "wbt/proto/proto.h"

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
  /// `environment` defines the parameters for IS; it is null outside of PROTO bodies.
  NodeParser(ParseContext& reading, const Source& source, std::size_t offset = 0,
             const Environment* environment = nullptr)
      : reading_(reading),
        source_(source),
        environment_(environment),
        lexer_(source.text, offset) {}

  /// Reads everything up to the end of a world file. EXTERNPROTO lines go to `externs`, which
  /// belongs to the Source; importable ones also go to `importable`.
  std::vector<NodePtr> read_top_level(std::vector<std::string>& externs,
                                      std::vector<std::string>& importable);
  /// Reads the interface of the PROTO in this file, up to the root node of its body.
  void read_interface(Proto& proto);
  /// Reads the next node; returns null if it was left out. `field` is the field that contains it;
  /// may be empty.
  NodePtr read_node(std::string_view field);
  /// Returns an instance of a PROTO with other values: the body that results from them; null if
  /// there is none.
  NodePtr instantiate(const Proto& proto, std::vector<std::optional<Value>> given);

 private:
  // The owner of a value, for error messages.
  struct Place {
    const Token& field;
    std::string_view owner;  // node type or PROTO
  };

  // Functions on the recursive path need small stack frames. What they rarely need is therefore in
  // functions that are not inlined.
  [[gnu::noinline]] NodePtr read_use(std::string_view field);
  [[gnu::noinline]] NodePtr read_defined_node(std::string_view field);
  NodePtr read_typed_node(const Token& type, std::string_view def, std::string_view field);
  NodePtr read_built_in(const NodeType& type, const Token& name);
  NodePtr read_other(const Token& name, std::string_view field);
  [[gnu::noinline]] NodePtr lose_other(const Proto* proto, const Token& name,
                                       std::string_view field);
  void read_field(Node& node, const Token& name);
  [[gnu::noinline]] const FieldType* begin_field(const Node& node, const Token& name);
  [[gnu::noinline]] void read_flat_field(Node& node, const FieldType& type, const Token& name);
  [[gnu::noinline]] void set_value(Node& node, const FieldType& type, const Token& name,
                                   std::optional<Value>& value);
  [[gnu::noinline]] void connect(const Node& node, const FieldType& field);
  std::optional<std::uint32_t> parameter_ahead() const;
  [[gnu::noinline]] void finish(Node& node, std::string_view written_type);
  [[gnu::noinline]] void unplug_other_type(Node& slot);

  NodePtr read_instance(const Proto& proto, const Token& name);
  [[gnu::noinline]] NodePtr fail_of_parameters(std::uint32_t offset);
  [[gnu::noinline]] void report_substitute(const Proto& proto, std::uint32_t offset);
  void report_other_file(const Proto& proto, std::uint32_t offset);
  [[gnu::noinline]] void report_losses(const Environment& environment, const Token& name);
  [[gnu::noinline]] void skip_numbers();
  bool has_old_axes() const;
  /// Pairs of a parameter of an instance in a PROTO body and the index of the PROTO's own parameter
  /// that is passed to it.
  using Passed = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  void read_parameter(Environment& environment, const Token& name, Passed& passed);
  [[gnu::noinline]] void skip_parameter(const Proto& proto, const Token& name);
  [[gnu::noinline]] bool own_defaults(Environment& environment);
  /// Returns a value with copies of its nodes; nothing if there would be too many nodes.
  std::optional<Value> own_default(const Value& value);
  [[gnu::noinline]] NodePtr find_in_defaults(const Token& name);
  [[gnu::noinline]] void make_instance(Node& root, Environment& environment, const Passed& passed);
  void read_hidden(HiddenFields& hidden);
  [[gnu::noinline]] void turn_hidden(const Proto& proto, const Token& name, const Node& root,
                                     HiddenFields& hidden);
  [[gnu::noinline]] NodePtr expand(const Environment& environment, const Token& name);
  NodePtr lose(const Fault& fault, const Token& name);
  NodePtr expand_text(const Environment& environment, const Source& source, std::size_t body,
                      const Token& name);
  NodePtr read_root();
  /// What a warning about a missing node adds to its reason: where it was searched, a hint (which
  /// is also a part of LostNode::reason), and what to do.
  struct Advice {
    std::string hint;
    std::string remedy;
  };
  NodePtr lose(const Token& name, const std::string& reason, const Advice& advice,
               bool only_decorates);
  NodePtr leave_out(const Token& name, const std::string& reason, const Advice& advice,
                    bool only_decorates, std::optional<MissingPart> missing = {});
  /// Returns whether a node whose PROTO is missing affects no motion. It is in `field` or, if that
  /// is empty, on the top level. The lexer is at the block that follows the name.
  bool only_decorates(const Token& name, std::string_view field);
  [[gnu::noinline]] void note_cycle(const Proto& proto);

  void read_extern_proto(std::vector<std::string>& externs,
                         std::vector<std::string>* importable = nullptr);
  void read_declarations(Proto& proto);
  void read_interface_line(Proto& proto, std::unordered_set<std::string_view>& names);

  std::optional<Value> read_value(ValueType type, const Place& place);
  std::optional<Value> read_node_value(ValueType type, const Place& place);
  std::vector<NodePtr> read_node_list(const Token& field);
  [[gnu::noinline]] std::optional<Value> read_is(ValueType type, const Place& place);
  [[gnu::noinline]] std::optional<Value> read_flat_value(ValueType type, const Place& place);
  [[gnu::noinline]] void refuse_node_value(const Place& place);
  [[gnu::noinline]] void fault_in_list(const Token& field);

  // Calls read_one(name) for each field between braces.
  template <class ReadOne>
  void read_body(const Token& type, ReadOne read_one);
  [[gnu::noinline]] void read_stray(const Token& type);
  void skip_unknown_field(const Token& name, std::string_view owner, const std::string& hint);
  [[gnu::noinline]] void warn_if_given(bool given, const Token& name, std::string_view owner);
  void skip_any_value();
  void skip_block(bool is_lost_node = false);

  Token take() { return lexer_.take(); }
  const Token& peek() const { return lexer_.peek(); }
  bool peek_is(TokenKind kind) const { return lexer_.peek().kind == kind; }
  bool stopped() const { return reading_.failed || fault_; }
  bool quiet() const;
  void warning(std::uint32_t offset, std::string message);
  void replacement(std::uint32_t offset, std::string message);  // see Diagnostic::replaced
  void error(std::uint32_t offset, std::string message);
  // Reports that a limit is reached, and stops all reading.
  void fail(std::uint32_t offset, std::string message);
  // Reports a syntax error without recovery, which ends the reading of this text.
  void fault(std::uint32_t offset, std::string message);
  [[gnu::noinline]] NodePtr fail_too_many(std::uint32_t offset);
  [[gnu::noinline]] NodePtr fail_too_deep(std::uint32_t offset);
  [[gnu::noinline]] NodePtr fault_instead_of(std::string_view wanted, const Token& found);
  [[gnu::noinline]] NodePtr fault_instead_of_brace(const Token& type);
  bool fault_of_string();

  ParseContext& reading_;
  const Source& source_;
  const Environment* environment_;
  Lexer lexer_;
  DefScope<NodePtr> defs_;  // null nodes were left out
  std::vector<std::string_view> open_defs_;
  std::vector<Environment*> open_instances_;  // instances whose parameters are being read
  std::optional<Fault> fault_;                // the first fault
};

template <class ReadOne>
void NodeParser::read_body(const Token& type, ReadOne read_one) {
  lexer_.advance();  // '{'
  while (!stopped() && !peek_is(TokenKind::CloseBrace)) {
    if (peek_is(TokenKind::Word)) {
      read_one(take());
    } else {
      read_stray(type);
    }
  }
  if (!stopped()) {
    lexer_.advance();
  }
}

}  // namespace servosim::wbt
