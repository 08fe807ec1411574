// SPDX-License-Identifier: Apache-2.0
// NodeParser: what a PROTO declares before its body.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "wbt/parser.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

constexpr std::array<std::string_view, 7> kKinds{
    "field",           "vrmlField",        "w3dField",    "hiddenField",
    "deprecatedField", "unconnectedField", "exposedField"};

using Names = std::unordered_set<std::string_view>;

// The types of nodes up to the '}' that `lexer` comes to.
Names names_of_nodes(Lexer lexer) {
  Names names;
  while (lexer.peek().kind == TokenKind::Word) {
    names.insert(lexer.take().text);
    if (lexer.peek().kind == TokenKind::OpenBrace) {
      skip_balanced(lexer);
    }
  }
  return names;
}

// Whether each item of a list stands in the other one, too. Of lists that nobody writes, it does.
bool are_among(const Value& items, const Value& accepted) {
  constexpr std::size_t kMostPairs = 1'000'000;
  const auto among = [&](const auto& list) {
    if constexpr (requires { list.empty(); }) {
      const auto& all = std::get<std::decay_t<decltype(list)>>(accepted);
      return list.size() * all.size() > kMostPairs ||
             std::all_of(list.begin(), list.end(), [&](const auto& item) {
               return std::find(all.begin(), all.end(), item) != all.end();
             });
    } else {
      return true;
    }
  };
  return std::visit(among, items);
}

// SFNode's and MFNode's is MFNode.
ValueType list_of(ValueType type) {
  constexpr int kFirst = static_cast<int>(ValueType::MFBool);
  const int i = static_cast<int>(type);
  return static_cast<ValueType>(i < kFirst ? i + kFirst : i);
}

// Whether a default is among the values that a field's braces list; `accepted` is behind the '{'.
// What cannot be read there forbids nothing.
bool is_accepted(const Value& value, ValueType type, Lexer accepted, std::size_t room) {
  const ValueType list_type = list_of(type);
  const auto items = converted(value, type, list_type);
  if (list_type == ValueType::MFNode) {
    const Names names = names_of_nodes(accepted);
    const auto& nodes = std::get<std::vector<NodePtr>>(*items);
    return std::all_of(nodes.begin(), nodes.end(), [&](const NodePtr& node) {
      return !node || names.contains(node->type->name) || names.contains(node->proto_name);
    });
  }
  const auto listed = ValueReader(accepted, room).read(list_type);
  return !listed || accepted.peek().kind != TokenKind::CloseBrace || are_among(*items, *listed);
}

}  // namespace

// `[IMPORTABLE] EXTERNPROTO "path/Name.proto"`
void NodeParser::read_extern_proto(std::vector<std::string>& externs,
                                   std::vector<std::string>* importable) {
  const bool may_be_imported = peek().is("IMPORTABLE");
  if (may_be_imported) {
    lexer_.advance();
  }
  const bool declares = peek().is("EXTERNPROTO");
  if (declares) {
    lexer_.advance();
  }
  if (!declares || !peek_is(TokenKind::String)) {
    fault(peek().offset, fmt::format("expected EXTERNPROTO \"file\", found {}", peek().shown()));
    return;
  }
  externs.push_back(unescaped(take().text));
  if (may_be_imported && importable != nullptr) {
    importable->push_back(externs.back());
  }
}

void NodeParser::read_interface(Proto& proto) {
  read_declarations(proto);
  if (fault_) {
    const Diagnostic at = reading_.diagnostics.sources().resolve(fault_->where);
    proto.defect =
        fmt::format("cannot be used ({}:{}:{}: {})", at.file, at.line, at.column, fault_->reason);
  }
}

void NodeParser::read_declarations(Proto& proto) {
  while (!stopped() && (peek().is("EXTERNPROTO") || peek().is("IMPORTABLE"))) {
    read_extern_proto(proto.source.externs);
  }
  if (stopped()) {
    return;
  }
  if (!peek().is("PROTO")) {
    proto.defect = "is not in the file of that name";
    return;
  }
  lexer_.advance();
  const Token name = take();
  if (name.text != proto.name) {
    proto.defect = fmt::format("is called '{}' in its file", shown(name.text));
    return;
  }
  if (!peek_is(TokenKind::OpenBracket)) {
    fault(peek().offset,
          fmt::format("expected '[' after PROTO {}, found {}", name.text, peek().shown()));
    return;
  }
  lexer_.advance();
  std::unordered_set<std::string_view> names;
  while (!stopped() && !peek_is(TokenKind::CloseBracket)) {
    read_interface_line(proto, names);
  }
  if (stopped()) {
    return;
  }
  lexer_.advance();
  if (!peek_is(TokenKind::OpenBrace)) {
    fault(peek().offset, fmt::format("expected '{{' before the body of PROTO {}, found {}",
                                     name.text, peek().shown()));
    return;
  }
  proto.body = peek().offset + 1;
}

// `field SFString{"a", "b"} name "a"`
void NodeParser::read_interface_line(Proto& proto, std::unordered_set<std::string_view>& names) {
  const Token kind = take();
  if (std::find(kKinds.begin(), kKinds.end(), kind.text) == kKinds.end()) {
    fault(kind.offset,
          fmt::format("expected a field of PROTO {} or ']', found {}", proto.name, kind.shown()));
    return;
  }
  const auto type = parse_value_type(peek().text);
  if (!type) {
    fault(peek().offset, fmt::format("expected the type of a field of PROTO {}, found {}",
                                     proto.name, peek().shown()));
    return;
  }
  lexer_.advance();
  std::optional<Lexer> accepted;
  if (peek_is(TokenKind::OpenBrace)) {
    accepted = lexer_;
    accepted->advance();
    skip_block();
  }
  if (stopped()) {
    return;
  }
  const Token name = take();
  const auto value = read_value(*type, {name, proto.name});
  if (stopped()) {
    return;
  }
  if (!names.insert(name.text).second) {
    warning(name.offset, fmt::format("PROTO {} has a field '{}' already; the first one is used",
                                     proto.name, shown(name.text)));
    return;
  }
  if (value && accepted && !is_accepted(*value, *type, *accepted, reading_.room)) {
    warning(name.offset, fmt::format("the default of field '{}' of PROTO {} is none of the values "
                                     "in its braces; it is used all the same",
                                     shown(name.text), proto.name));
  }
  proto.parameter_numbers.emplace(name.text, static_cast<std::uint32_t>(proto.parameters.size()));
  proto.parameters.push_back({name.text, *type, value.value_or(initial_value(*type))});
}

}  // namespace servosim::wbt
