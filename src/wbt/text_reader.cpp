// SPDX-License-Identifier: Apache-2.0
#include "wbt/text_reader.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "wbt/values.h"

namespace servosim::wbt {

// Handles text between the fields of a node that is no name of a field.
void TextReader::read_stray(const Token& type) {
  if (fault_of_string()) {
    return;
  }
  const Token stray = peek();
  if (stray.kind == TokenKind::End || stray.kind == TokenKind::CloseBracket) {
    fault(stray.kind == TokenKind::End ? type.offset : stray.offset,
          fmt::format("expected '}}' at the end of {}, found {}", shown(type.text), stray.shown()));
    return;
  }
  replacement(stray.offset, fmt::format("expected a field of {}, found {} (skipped)",
                                        shown(type.text), stray.shown()));
  stray.kind == TokenKind::OpenBracket || stray.kind == TokenKind::OpenBrace ? skip_block()
                                                                             : skip_value(lexer_);
}

void TextReader::skip_unknown_field(const Token& name, std::string_view owner,
                                    const std::string& hint) {
  replacement(name.offset,
              fmt::format("unknown field '{}' in {} (skipped){}", shown(name.text), owner, hint));
  skip_any_value();
}

void TextReader::warn_if_given(bool given, const Token& name, std::string_view owner) {
  if (given) {
    replacement(name.offset, fmt::format("{} has a field '{}' already; the last one is used", owner,
                                         shown(name.text)));
  }
}

// Skips what may follow the name of a field of any type.
void TextReader::skip_any_value() {
  if (peek().is("USE") || peek().is("IS")) {
    lexer_.advance();
    lexer_.advance();
    return;
  }
  if (peek().is("DEF")) {
    lexer_.advance();
    defs_.skip(take().text);
  }
  Lexer ahead = lexer_;
  ahead.advance();
  if (peek_is(TokenKind::Word) && ahead.peek().kind == TokenKind::OpenBrace) {
    lexer_.advance();
  }
  peek_is(TokenKind::OpenBracket) || peek_is(TokenKind::OpenBrace) ? skip_block()
                                                                   : skip_value(lexer_);
}

// Skips from '{' or '[' to its end. A USE of a node that is DEFined inside then finds nothing, and
// no further message is necessary. An earlier node of the same name is used only if Webots skips
// the value, too, but not for a lost node.
void TextReader::skip_block(bool is_lost_node) {
  const std::uint32_t start = peek().offset;
  Lexer inside = lexer_;
  const bool closed = skip_balanced(lexer_);
  if (!fault_of_string() && !closed) {
    fault(start, peek_is(TokenKind::End) ? "this bracket is never closed"
                                         : "brackets in here nest too deep");
  }
  const std::uint32_t end = peek().offset;
  for (; inside.peek().offset < end; inside.advance()) {
    if (inside.peek().is("DEF")) {
      inside.advance();
      is_lost_node ? defs_.leave(inside.peek().text, defs_.enter(), nullptr)
                   : defs_.skip(inside.peek().text);
    }
  }
}

// Returns whether no further messages are kept, so that making them is unnecessary.
bool TextReader::quiet() const {
  return reading_.diagnostics.list().size() >= Diagnostics::kMaxKept;
}

void TextReader::warning(std::uint32_t offset, std::string message) {
  reading_.diagnostics.warning(source_.at(offset), std::move(message));
}

void TextReader::replacement(std::uint32_t offset, std::string message) {
  reading_.diagnostics.replacement(source_.at(offset), std::move(message));
}

void TextReader::error(std::uint32_t offset, std::string message) {
  reading_.diagnostics.error(source_.at(offset), std::move(message));
}

NodePtr TextReader::fail_too_many(std::uint32_t offset) {
  fail(offset, fmt::format("the world has more than {} nodes", kMaxNodes));
  return {};
}

NodePtr TextReader::fail_too_deep(std::uint32_t offset) {
  fail(offset, fmt::format("nodes nest deeper than {} levels", kMaxNodeDepth));
  return {};
}

NodePtr TextReader::fault_instead_of(std::string_view wanted, const Token& found) {
  fault(found.offset, fmt::format("expected {}, found {}", wanted, found.shown()));
  return {};
}

void TextReader::fail(std::uint32_t offset, std::string message) {
  if (!reading_.failed) {
    error(offset, std::move(message));
  }
  reading_.failed = true;
}

void TextReader::fault(std::uint32_t offset, std::string message) {
  if (!stopped()) {
    fault_ = Fault{source_.at(offset), std::move(message)};
  }
}

bool TextReader::fault_of_string() {
  if (const auto offset = lexer_.unclosed_string()) {
    fault(*offset, "string is not closed on its line");
    return true;
  }
  return false;
}

}  // namespace servosim::wbt
