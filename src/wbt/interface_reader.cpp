// SPDX-License-Identifier: Apache-2.0
#include "wbt/interface_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "wbt/node_parser.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

constexpr std::array<std::string_view, 7> kKinds{
    "field",           "vrmlField",        "w3dField",    "hiddenField",
    "deprecatedField", "unconnectedField", "exposedField"};

using Names = std::unordered_set<std::string_view>;

// Returns the types of nodes up to the '}' that `lexer` reaches.
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

// Returns whether the other list contains each item of a list. Lists that are too long to compare
// count as contained.
bool are_among(const Value& items, const Value& accepted) {
  constexpr std::size_t kMaxPairs = 1'000'000;
  const auto among = [&](const auto& list) {
    if constexpr (requires { list.empty(); }) {
      const auto& all = std::get<std::decay_t<decltype(list)>>(accepted);
      return list.size() * all.size() > kMaxPairs ||
             std::all_of(list.begin(), list.end(), [&](const auto& item) {
               return std::find(all.begin(), all.end(), item) != all.end();
             });
    } else {
      return true;
    }
  };
  return std::visit(among, items);
}

// For both SFNode and MFNode this is MFNode.
ValueType list_of(ValueType type) {
  constexpr int kFirst = static_cast<int>(ValueType::MFBool);
  const int i = static_cast<int>(type);
  return static_cast<ValueType>(i < kFirst ? i + kFirst : i);
}

// Returns whether a default value is among the values in the braces of a field; `accepted` is after
// the '{'. Values that cannot be read there forbid nothing.
bool is_accepted(const Value& value, ValueType type, Lexer accepted, std::size_t room) {
  const ValueType list_type = list_of(type);
  const auto items = converted(value, type, list_type);
  if (list_type == ValueType::MFNode) {
    const Names names = names_of_nodes(accepted);
    const auto& nodes = std::get<std::vector<NodePtr>>(*items);
    return std::all_of(nodes.begin(), nodes.end(), [&](const NodePtr& node) {
      return !node || names.contains(node->type->name) || names.contains(node->proto.name);
    });
  }
  const auto listed = ValueReader(accepted, room).read(list_type);
  return !listed || accepted.peek().kind != TokenKind::CloseBrace || are_among(*items, *listed);
}

// Reads the declarations of a PROTO before its body. A PROTO with a fault gets a defect.
class InterfaceReader {
 public:
  // `nodes` is at the beginning of the file, and reads the default values.
  InterfaceReader(ParseContext& reading, NodeParser& nodes)
      : reading_(reading), nodes_(nodes), text_(nodes.text()) {}

  void read(Proto& proto);

 private:
  void read_declarations(Proto& proto);
  void read_interface_line(Proto& proto, std::unordered_set<std::string_view>& names);

  ParseContext& reading_;
  NodeParser& nodes_;
  TextReader& text_;
};

}  // namespace

// Reads `[IMPORTABLE] EXTERNPROTO "path/Name.proto"`.
void read_extern_proto(TextReader& text, std::vector<std::string>& externs,
                       std::vector<std::string>* importable) {
  const bool may_be_imported = text.peek().is("IMPORTABLE");
  if (may_be_imported) {
    text.advance();
  }
  const bool declares = text.peek().is("EXTERNPROTO");
  if (declares) {
    text.advance();
  }
  if (!declares || !text.peek_is(TokenKind::String)) {
    text.fault(text.peek().offset,
               fmt::format("expected EXTERNPROTO \"file\", found {}", text.peek().shown()));
    return;
  }
  externs.push_back(unescaped(text.take().text));
  if (may_be_imported && importable != nullptr) {
    importable->push_back(externs.back());
  }
}

namespace {

void InterfaceReader::read(Proto& proto) {
  read_declarations(proto);
  if (const std::optional<Fault>& fault = text_.first_fault()) {
    const Diagnostic at = reading_.diagnostics.sources().resolve(fault->where);
    proto.defect =
        fmt::format("cannot be used ({}:{}:{}: {})", at.file, at.line, at.column, fault->reason);
  }
}

void InterfaceReader::read_declarations(Proto& proto) {
  while (!text_.stopped() && (text_.peek().is("EXTERNPROTO") || text_.peek().is("IMPORTABLE"))) {
    read_extern_proto(text_, proto.source.externs);
  }
  if (text_.stopped()) {
    return;
  }
  if (!text_.peek().is("PROTO")) {
    proto.defect = "is not in the file of that name";
    return;
  }
  text_.advance();
  const Token name = text_.take();
  if (name.text != proto.name) {
    proto.defect = fmt::format("is called '{}' in its file", shown(name.text));
    return;
  }
  if (!text_.peek_is(TokenKind::OpenBracket)) {
    text_.fault(text_.peek().offset, fmt::format("expected '[' after PROTO {}, found {}", name.text,
                                                 text_.peek().shown()));
    return;
  }
  text_.advance();
  std::unordered_set<std::string_view> names;
  while (!text_.stopped() && !text_.peek_is(TokenKind::CloseBracket)) {
    read_interface_line(proto, names);
  }
  if (text_.stopped()) {
    return;
  }
  text_.advance();
  if (!text_.peek_is(TokenKind::OpenBrace)) {
    text_.fault(text_.peek().offset,
                fmt::format("expected '{{' before the body of PROTO {}, found {}", name.text,
                            text_.peek().shown()));
    return;
  }
  proto.body = text_.peek().offset + 1;
}

// Reads a line such as `field SFString{"a", "b"} name "a"`.
void InterfaceReader::read_interface_line(Proto& proto,
                                          std::unordered_set<std::string_view>& names) {
  const Token kind = text_.take();
  if (std::find(kKinds.begin(), kKinds.end(), kind.text) == kKinds.end()) {
    text_.fault(kind.offset, fmt::format("expected a field of PROTO {} or ']', found {}",
                                         proto.name, kind.shown()));
    return;
  }
  const auto type = parse_value_type(text_.peek().text);
  if (!type) {
    text_.fault(text_.peek().offset,
                fmt::format("expected the type of a field of PROTO {}, found {}", proto.name,
                            text_.peek().shown()));
    return;
  }
  text_.advance();
  std::optional<Lexer> accepted;
  if (text_.peek_is(TokenKind::OpenBrace)) {
    accepted = text_.lexer();
    accepted->advance();
    text_.skip_block();
  }
  if (text_.stopped()) {
    return;
  }
  const Token name = text_.take();
  const auto value = nodes_.read_value(*type, {name, proto.name});
  if (text_.stopped()) {
    return;
  }
  if (!names.insert(name.text).second) {
    text_.replacement(name.offset,
                      fmt::format("PROTO {} has a field '{}' already; the first one is used",
                                  proto.name, shown(name.text)));
    return;
  }
  if (value && accepted && !is_accepted(*value, *type, *accepted, reading_.room)) {
    text_.warning(name.offset,
                  fmt::format("the default of field '{}' of PROTO {} is none of the values "
                              "in its braces; it is used all the same",
                              shown(name.text), proto.name));
  }
  proto.parameter_numbers.emplace(name.text, static_cast<std::uint32_t>(proto.parameters.size()));
  proto.parameters.push_back({name.text, *type, value.value_or(initial_value(*type))});
}

}  // namespace

void read_interface(ParseContext& reading, Proto& proto) {
  NodeParser nodes(reading, proto.source);
  InterfaceReader(reading, nodes).read(proto);
}

}  // namespace servosim::wbt
