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
  Number,          ///< starts like a number and is one
  String,          ///< `text` is what stands between the quotes
  UnclosedString,  ///< a line or the file ended inside it
  Word,            ///< identifiers, keywords, TRUE, FALSE, NULL and all other words
};

/// A piece of a text, not copied: valid as long as the text is.
struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t offset = 0;  ///< of its first byte
  std::string_view text;
  double number = 0.0;  ///< of a Number; always finite

  bool is(std::string_view word) const { return kind == TokenKind::Word && text == word; }
  /// The token as a message should show it.
  std::string shown() const;
};

/// Cuts a text into tokens. Commas and Unicode white space separate, `#` comments to the end of
/// the line, except that `#servosim ` does not: Webots skips it, servosim reads
/// it. A copy looks further ahead.
///
/// Invariant: peek() lies inside of the text, and the next token is searched behind it.
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
  /// Continues at `offset`, at most the length of the text, as if the text began there.
  void seek(std::size_t offset);
  /// Where the first UnclosedString so far begins.
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

/// Whether `text` begins with `#servosim `: the rest of its line is no comment.
bool starts_extension(std::string_view text);

/// A piece of a file as a message may show it: cut after 60 bytes, without control characters.
std::string shown(std::string_view text);

/// The value of a String token: `\"` and `\\` become one character, any other escape stays.
std::string unescaped(std::string_view text);

/// A world or PROTO file while it is read.
struct Source {
  std::uint32_t file = SourceLocation::kNoFile;  ///< its number in the SourceMap
  std::string_view text;
  Version version;
  std::string folder;                ///< absolute: where it stands; of a file in a cache an address
  std::vector<std::string> externs;  ///< what its EXTERNPROTO lines name, in order
  bool is_stand_in = false;          ///< a text of servosim: what it uses are stand-ins too

  SourceLocation at(std::uint32_t offset) const { return {file, offset}; }
};

/// The version in the first comment, `#VRML_SIM <version> utf8`; nothing if the file has none.
std::optional<Version> header_version(std::string_view text);

/// The comments below the first one, up to the first line that is none; empty lines between them
/// are kept. Each line ends in '\n'.
std::string leading_comments(std::string_view text);

/// Warns about a file written by a Webots newer than R2025a.
void warn_if_newer(Diagnostics& diagnostics, const Source& source);

/// Whether `template language: javascript` is among the leading comments.
bool says_javascript(std::string_view text);

/// Warns about each comment that was meant as `#servosim <field>` but is not spelled so.
void check_extension_marks(const Source& source, Diagnostics& diagnostics);

}  // namespace servosim::wbt
