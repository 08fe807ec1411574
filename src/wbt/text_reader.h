// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wbt/lexer.h"
#include "wbt/node.h"
#include "wbt/proto/proto.h"

namespace servosim::wbt {

/// Reads the tokens of one text, which is one scope of DEF names. It reports what is wrong in the
/// text, and skips what cannot be read.
///
/// Messages are at an offset in the text. After a fault or a failure, stopped() is true.
class TextReader {
 public:
  TextReader(ParseContext& reading, const Source& source, std::size_t offset)
      : reading_(reading), source_(source), lexer_(source.text, offset) {}
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;

  Token take() { return lexer_.take(); }
  const Token& peek() const { return lexer_.peek(); }
  bool peek_is(TokenKind kind) const { return lexer_.peek().kind == kind; }
  void advance() { lexer_.advance(); }
  Lexer& lexer() { return lexer_; }
  const Lexer& lexer() const { return lexer_; }
  /// Returns the nodes of the DEF names up to here. Null nodes were left out.
  DefScope<NodePtr>& defs() { return defs_; }
  /// Calls read_one(name) for each field between braces. `type` is the word before them.
  template <class ReadOne>
  void read_body(const Token& type, ReadOne read_one);

  // ---- reports

  bool stopped() const { return reading_.failed || fault_; }
  /// Returns whether no further messages are kept, so that making them is unnecessary.
  bool quiet() const;
  void warning(std::uint32_t offset, std::string message);
  void replacement(std::uint32_t offset, std::string message);  ///< see Diagnostic::replaced
  void error(std::uint32_t offset, std::string message);
  /// Reports that a limit is reached, and stops all reading.
  void fail(std::uint32_t offset, std::string message);
  /// Reports a syntax error without recovery, which ends the reading of this text.
  void fault(std::uint32_t offset, std::string message);
  std::optional<Fault>& first_fault() { return fault_; }

  // Functions on the recursive path of NodeParser need small stack frames. What they rarely need is
  // therefore in functions that are not inlined. Each of these returns null.
  [[gnu::noinline]] NodePtr fail_too_many(std::uint32_t offset);
  [[gnu::noinline]] NodePtr fail_too_deep(std::uint32_t offset);
  [[gnu::noinline]] NodePtr fault_instead_of(std::string_view wanted, const Token& found);

  /// Reports a string that is not closed, if the text is at one. Returns whether it is.
  bool fault_of_string();
  /// Reports that a node or PROTO has a field already, if it is `given`.
  [[gnu::noinline]] void warn_if_given(bool given, const Token& name, std::string_view owner);

  // ---- skipping

  void skip_unknown_field(const Token& name, std::string_view owner, const std::string& hint);
  /// Skips what may follow the name of a field of any type.
  void skip_any_value();
  /// Skips from '{' or '[' to its end.
  void skip_block(bool is_lost_node = false);

 private:
  [[gnu::noinline]] void read_stray(const Token& type);

  ParseContext& reading_;
  const Source& source_;
  Lexer lexer_;
  DefScope<NodePtr> defs_;
  std::optional<Fault> fault_;  // the first fault
};

template <class ReadOne>
void TextReader::read_body(const Token& type, ReadOne read_one) {
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
