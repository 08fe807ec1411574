// SPDX-License-Identifier: Apache-2.0
#include "wbt/field_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "wbt/lexer.h"

namespace servosim::wbt {
namespace {

constexpr std::string_view kLineEnds = "\r\n";

// The line ends of the file, as the first one is.
std::string_view line_end_of(std::string_view text) {
  const std::size_t at = text.find_first_of(kLineEnds);
  return at == text.npos ? "\n" : text.substr(at, text.substr(at).starts_with("\r\n") ? 2 : 1);
}

// The blanks at the beginning of the line that has this byte.
std::string_view indent_at(std::string_view text, std::size_t offset) {
  const std::size_t end = text.substr(0, offset).find_last_of(kLineEnds);
  const std::string_view line = text.substr(end == text.npos ? 0 : end + 1);
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const char end = line_end_of(text).back();
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), end));
}

// The text with `with` in place of some bytes; `shown` is the first byte of `with` that counts.
ChangedText exchanged(std::string_view text, std::size_t from, std::size_t to,
                      const std::string& with, std::size_t shown) {
  std::string result(text.substr(0, from));
  result += with;
  result += text.substr(to);
  const std::size_t line = line_of(result, from + shown);
  return {std::move(result), line};
}

}  // namespace

ChangedText with_text_field(std::string_view text, const Node& node, std::string_view field,
                            std::string_view value) {
  if (const Field* const known = node.find(field)) {
    Lexer lexer(text, known->where.offset);
    const Token name = lexer.take();
    SERVOSIM_ASSERT(name.is(field), "field {} is not where it was read", field);
    const Token old = lexer.peek();
    SERVOSIM_ASSERT(old.kind == TokenKind::String, "field {} is no text", field);
    return exchanged(text, old.offset, old.offset + old.text.size() + 2,
                     fmt::format("\"{}\"", value), 0);
  }
  Lexer lexer(text, node.where.offset);
  lexer.advance();  // the name of the type
  const Token brace = lexer.take();
  SERVOSIM_ASSERT(brace.kind == TokenKind::OpenBrace, "a {} has no brace", node.type->name);
  const std::string_view end = line_end_of(text);
  const std::string line = fmt::format("#servosim {} \"{}\"", field, value);
  const std::string outer(indent_at(text, brace.offset));
  const std::size_t behind = brace.offset + 1;
  const std::size_t break_at = text.find_first_of(kLineEnds, behind);
  const Token& next = lexer.peek();
  if (break_at == text.npos || next.offset < break_at) {
    // The rest of the line moves to a line of its own, since the new field ends with its line.
    const std::size_t rest = std::min(text.find_first_not_of(" \t", behind), text.size());
    return exchanged(text, behind, rest, fmt::format("{0}{1}  {2}{0}{1}  ", end, outer, line),
                     end.size());
  }
  const std::size_t begin = break_at + (text.substr(break_at).starts_with("\r\n") ? 2 : 1);
  const std::string indent =
      next.kind == TokenKind::CloseBrace ? outer + "  " : std::string(indent_at(text, next.offset));
  return exchanged(text, begin, begin, fmt::format("{}{}{}", indent, line, end), 0);
}

}  // namespace servosim::wbt
