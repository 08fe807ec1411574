// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/diagnostics.h"
#include "wbt/eras/version.h"

namespace servosim::wbt {

enum class TokenKind : std::uint8_t {
  End,
  OpenBrace,
  CloseBrace,
  OpenBracket,
  CloseBracket,
  Number,          ///< starts like a number and is valid
  String,          ///< `text` is what is between the quotes
  UnclosedString,  ///< a line or the file ended inside it
  Word,            ///< identifiers, keywords, TRUE, FALSE, NULL and all other words
};

/// A piece of a text that is not copied. It is valid as long as the text.
struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t offset = 0;  ///< offset of its first byte
  std::string_view text;
  double number = 0.0;  ///< value of a Number; always finite

  bool is(std::string_view word) const { return kind == TokenKind::Word && text == word; }
  /// Returns the token as it appears in messages.
  std::string shown() const;
};

/// Splits a text into tokens. Commas and Unicode white space separate tokens. `#` begins a comment
/// up to the end of the line, except for `#servosim `, which Webots skips and servosim reads. A
/// copy of the lexer can look further ahead.
///
/// Invariant: peek() is inside of the text, and the next token is searched after it.
class Lexer {
 public:
  explicit Lexer(std::string_view text, std::size_t offset = 0) : text_(text) { seek(offset); }

  const Token& peek() const { return token_; }
  /// Returns the current token and reads the next one.
  Token take() {
    const Token taken = token_;
    advance();
    return taken;
  }
  void advance();
  /// Continues at `offset`, which is at most the length of the text, as if the text began there.
  void seek(std::size_t offset);
  /// Returns the offset of the first UnclosedString so far.
  std::optional<std::uint32_t> unclosed_string() const { return unclosed_string_; }

 private:
  void skip_blanks();
  void read_string();
  void read_word();

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  std::optional<std::uint32_t> unclosed_string_;
};

/// Returns whether `text` begins with `#servosim `, so that the rest of its line is no comment.
bool starts_extension(std::string_view text);

/// Returns a piece of a file as it may appear in messages: without control characters, and at most
/// 60 bytes.
std::string shown(std::string_view text);

/// Returns the value of a String token: `\"` and `\\` become one character; other escapes stay.
std::string unescaped(std::string_view text);

/// A world or PROTO file that is being read.
struct Source {
  std::uint32_t file = SourceLocation::kNoFile;  ///< its number in the SourceMap
  std::string_view text;
  Version version;
  std::string folder;  ///< absolute path of its folder; an address for a file in a cache
  std::vector<std::string> externs;  ///< contents of its EXTERNPROTO lines, in order
  /// Whether the text belongs to servosim, so that the PROTOs that it uses are stand-ins, too.
  bool is_stand_in = false;

  SourceLocation at(std::uint32_t offset) const { return {file, offset}; }
};

/// Returns the version in the first comment, `#VRML_SIM <version> utf8`; nothing if the file has
/// none.
std::optional<Version> header_version(std::string_view text);

/// Returns the comments after the first one, up to the first line that is no comment; empty lines
/// between them stay. Each line ends in '\n'.
std::string leading_comments(std::string_view text);

/// Warns about a file written by a Webots newer than R2025a.
void warn_if_newer(Diagnostics& diagnostics, const Source& source);

/// Returns whether `template language: javascript` is among the leading comments.
bool says_javascript(std::string_view text);

/// Warns about each comment that was probably meant as `#servosim <field>` but is spelled
/// differently.
void check_extension_marks(const Source& source, Diagnostics& diagnostics);

}  // namespace servosim::wbt
