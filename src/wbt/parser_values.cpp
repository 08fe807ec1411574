// SPDX-License-Identifier: Apache-2.0
// NodeParser: the values of fields.
#include <fmt/format.h>

#include <utility>

#include "wbt/parser.h"
#include "wbt/values.h"

namespace servosim::wbt {

// Nothing after a value that does not fit, which has been reported and skipped.
std::optional<Value> NodeParser::read_value(ValueType type, const Place& place) {
  if (peek().is("IS")) {
    return read_is(type, place);
  }
  return holds_nodes(type) ? read_node_value(type, place) : read_flat_value(type, place);
}

std::optional<Value> NodeParser::read_flat_value(ValueType type, const Place& place) {
  const std::uint32_t offset = peek().offset;
  ValueReader reader(lexer_, reading_.room);
  auto value = reader.read(type);
  if (!value && reading_.room == 0) {
    fail(offset, "the lists of this world take too much memory");
  } else if (!value && !fault_of_string()) {
    warning(offset, fmt::format("field '{}' of {}: {} (default used)", place.field.text,
                                place.owner, reader.problem()));
    if (peek().offset == offset) {
      skip_any_value();
    }
  }
  return value;
}

std::optional<Value> NodeParser::read_node_value(ValueType type, const Place& place) {
  const bool is_node = peek_is(TokenKind::Word) && !peek().is("TRUE") && !peek().is("FALSE");
  if (type == ValueType::MFNode && peek_is(TokenKind::OpenBracket)) {
    return Value(read_node_list(place.field));
  }
  if (!is_node) {
    refuse_node_value(place);
    return std::nullopt;
  }
  NodePtr node;
  if (peek().is("NULL")) {
    lexer_.advance();
  } else {
    node = read_node(place.field.text);
  }
  if (type == ValueType::SFNode) {
    return Value(std::move(node));
  }
  return Value(node ? std::vector<NodePtr>{std::move(node)} : std::vector<NodePtr>{});
}

void NodeParser::refuse_node_value(const Place& place) {
  warning(peek().offset, fmt::format("field '{}' of {}: expected a node, found {} (default used)",
                                     place.field.text, place.owner, peek().shown()));
  skip_any_value();
}

std::vector<NodePtr> NodeParser::read_node_list(const Token& field) {
  std::vector<NodePtr> nodes;
  lexer_.advance();  // '['
  while (!stopped() && !peek_is(TokenKind::CloseBracket)) {
    if (peek().is("NULL")) {
      lexer_.advance();
    } else if (peek_is(TokenKind::Word)) {
      if (NodePtr node = read_node(field.text)) {
        nodes.push_back(std::move(node));
      }
    } else if (!fault_of_string()) {
      fault_in_list(field);
    }
  }
  if (!stopped()) {
    lexer_.advance();
  }
  return nodes;
}

void NodeParser::fault_in_list(const Token& field) {
  fault(peek_is(TokenKind::End) ? field.offset : peek().offset,
        fmt::format("expected a node or ']' in field '{}', found {}", field.text, peek().shown()));
}

std::optional<Value> NodeParser::read_is(ValueType type, const Place& place) {
  lexer_.advance();
  const Token name = take();
  if (environment_ == nullptr) {
    warning(name.offset, fmt::format("field '{}' of {}: IS outside a PROTO (default used)",
                                     place.field.text, place.owner));
    return std::nullopt;
  }
  const Proto& proto = environment_->proto;
  const auto parameter = environment_->find(name.text);
  if (!parameter) {
    warning(name.offset, fmt::format("PROTO '{}' has no parameter '{}' (default of '{}' used)",
                                     proto.name, shown(name.text), place.field.text));
    return std::nullopt;
  }
  const Value& value = environment_->value(*parameter);
  if (const std::size_t words = words_in(value); words >= reading_.room) {
    fail(name.offset, "the lists of this world take too much memory");
  } else {
    reading_.room -= words;
  }
  auto fitting = converted(value, proto.parameters[*parameter].type, type);
  if (!fitting) {
    warning(name.offset, fmt::format("parameter '{}' does not fit field '{}' of {} (default used)",
                                     shown(name.text), place.field.text, place.owner));
  }
  return fitting;
}

}  // namespace servosim::wbt
