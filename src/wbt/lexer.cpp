// SPDX-License-Identifier: Apache-2.0
#include "wbt/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "wbt/schema/node_types.h"

namespace servosim::wbt {
namespace {

enum : std::uint8_t { kBlank = 1, kEndsWord = 2, kStartsNumber = 4, kHigh = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r', ','}) {
    classes[static_cast<unsigned char>(c)] = kBlank | kEndsWord;
  }
  for (const char c : {'#', '"', '{', '}', '[', ']'}) {
    classes[static_cast<unsigned char>(c)] = kEndsWord;
  }
  for (const char c : std::string_view("+-.0123456789")) {
    classes[static_cast<unsigned char>(c)] = kStartsNumber;
  }
  for (std::size_t c = 0x80; c < 256; ++c) {
    classes[c] = kHigh;
  }
  return classes;
}

constexpr auto kClasses = make_classes();

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// Returns the length of non-ASCII white space (QChar::isSpace) at the beginning of `text`, or 0.
std::size_t unicode_blank(std::string_view text) {
  const auto starts = [&](std::string_view bytes) { return text.substr(0, bytes.size()) == bytes; };
  if (starts("\xC2\x85") || starts("\xC2\xA0")) {
    return 2;
  }
  if (starts("\xE2\x80") && text.size() > 2) {  // U+2000..200A, 2028, 2029, 202F
    const auto last = static_cast<unsigned char>(text[2]);
    return last <= 0x8A || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3 : 0;
  }
  const bool other = starts("\xE1\x9A\x80") || starts("\xE2\x81\x9F") || starts("\xE3\x80\x80");
  return other ? 3 : 0;
}

// The rest of a line after this mark is read as if it were no comment.
constexpr std::string_view kExtensionMark = "#servosim";

// from_chars() reports numbers that round to infinity and numbers that round to zero in the same
// way, but only the latter are valid. strtod() is no alternative, since it depends on the locale of
// the process, which belongs to the caller.
std::optional<double> vanishing_number(std::string_view text) {
  constexpr std::int64_t kHuge = 1'000'000'000'000;  // no file has this many digits
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::int64_t exponent = 0;
  if (e < text.size()) {
    const std::size_t digits = e + 1 + (text.substr(e + 1).starts_with('+') ? 1 : 0);
    const char* last = text.data() + text.size();
    if (std::from_chars(text.data() + digits, last, exponent).ec != std::errc{}) {
      exponent = text[digits] == '-' ? -kHuge : kHuge;
    }
    exponent = std::clamp(exponent, -kHuge, kHuge);
  }
  const std::size_t first = text.substr(0, e).find_first_of("123456789");
  const std::size_t point = std::min(text.substr(0, e).find('.'), e);
  // The power of ten of the first nonzero digit: -1 for 0.1 and .1, 0 for 1.
  const auto gap = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  const bool below_one = exponent + (gap > 0 ? gap - 1 : gap) < 0;
  return below_one ? std::optional(text[0] == '-' ? -0.0 : 0.0) : std::nullopt;
}

std::optional<double> number_value(std::string_view text) {
  const bool plus = text[0] == '+';
  const char* first = text.data() + (plus ? 1 : 0);
  const char* last = text.data() + text.size();
  if (plus && first != last && *first == '-') {
    return std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    return vanishing_number(text);
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string Token::shown() const {
  switch (kind) {
    case TokenKind::End:
      return "the end of the file";
    case TokenKind::String:
      return fmt::format("\"{}\"", wbt::shown(text));
    default:
      return fmt::format("'{}'", wbt::shown(text));
  }
}

void Lexer::seek(std::size_t offset) {
  SERVOSIM_ASSERT(offset <= text_.size(), "byte {} of a text of {}", offset, text_.size());
  at_ = offset;
  if (at_ == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") {
    at_ = 3;  // skips the byte order mark
  }
  advance();
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (class_of(c) & kBlank) {
      ++at_;
    } else if (c == '#' && starts_extension(text_.substr(at_))) {
      at_ += kExtensionMark.size();
    } else if (c == '#') {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else if (class_of(c) & kHigh) {
      const std::size_t blank = unicode_blank(text_.substr(at_, 3));
      if (blank == 0) {
        return;
      }
      at_ += blank;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_.offset = static_cast<std::uint32_t>(at_);
  if (at_ == text_.size()) {
    token_.kind = TokenKind::End;
    token_.text = {};
    return;
  }
  const auto punctuation = [&](TokenKind kind) {
    token_.kind = kind;
    token_.text = text_.substr(at_, 1);
    ++at_;
  };
  switch (text_[at_]) {
    case '{':
      return punctuation(TokenKind::OpenBrace);
    case '}':
      return punctuation(TokenKind::CloseBrace);
    case '[':
      return punctuation(TokenKind::OpenBracket);
    case ']':
      return punctuation(TokenKind::CloseBracket);
    case '"':
      return read_string();
    default:
      return read_word();
  }
}

void Lexer::read_string() {
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
  }
  end = std::min(end, text_.size());
  const bool closed = end < text_.size() && text_[end] == '"';
  token_.kind = closed ? TokenKind::String : TokenKind::UnclosedString;
  token_.text = text_.substr(at_ + 1, end - at_ - 1);
  if (!closed && !unclosed_string_) {
    unclosed_string_ = token_.offset;
  }
  at_ = closed ? end + 1 : end;
}

void Lexer::read_word() {
  const bool numeric = class_of(text_[at_]) & kStartsNumber;
  std::size_t end = at_ + 1;
  while (end < text_.size() && !(class_of(text_[end]) & kEndsWord) &&
         !(class_of(text_[end]) & kHigh && unicode_blank(text_.substr(end, 3)) > 0)) {
    ++end;
  }
  token_.text = text_.substr(at_, end - at_);
  token_.kind = TokenKind::Word;
  at_ = end;
  if (!numeric) {
    return;
  }
  if (const auto value = number_value(token_.text)) {
    token_.kind = TokenKind::Number;
    token_.number = *value;
  }
}

bool starts_extension(std::string_view text) {
  return text.substr(0, kExtensionMark.size()) == kExtensionMark &&
         text.size() > kExtensionMark.size() &&
         (text[kExtensionMark.size()] == ' ' || text[kExtensionMark.size()] == '\t');
}

std::string shown(std::string_view text) {
  static constexpr std::size_t kLongest = 60;
  std::string result(text.substr(0, kLongest));
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    c = byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return text.size() > kLongest ? result + "..." : result;
}

std::string unescaped(std::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    if (escape && (text[i + 1] == '"' || text[i + 1] == '\\')) {
      ++i;
    }
    value += text[i];
  }
  return value;
}

namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

// Removes the next leading comment line from `text` and returns it without its '#'.
std::optional<std::string_view> take_comment(std::string_view& text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    text.remove_prefix(3);
  }
  text = trimmed(text, kBlanks);
  if (text.empty() || text[0] != '#') {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = trimmed(text.substr(1, end - 1), kBlanks);
  text.remove_prefix(end);
  return line;
}

}  // namespace

std::optional<Version> header_version(std::string_view text) {
  static constexpr std::string_view kFirst = "VRML_SIM ";
  static constexpr std::string_view kLast = " utf8";
  const auto line = take_comment(text);
  if (!line || line->size() < kFirst.size() + kLast.size() || !line->starts_with(kFirst) ||
      !line->ends_with(kLast)) {
    return std::nullopt;
  }
  return parse_version(
      trimmed(line->substr(kFirst.size(), line->size() - kFirst.size() - kLast.size()), kBlanks));
}

std::string leading_comments(std::string_view text) {
  take_comment(text);
  std::string comments;
  std::string empty_lines;
  bool first = true;  // the rest of the header's line
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = trimmed(text.substr(0, end), kBlanks);
    if (!line.empty() && (line[0] != '#' || starts_extension(line))) {
      break;
    }
    if (!line.empty()) {
      comments += std::exchange(empty_lines, {}).append(line) + '\n';
    } else if (!first) {
      empty_lines += '\n';
    }
    first = false;
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
  }
  return comments;
}

bool says_javascript(std::string_view text) {
  while (const auto line = take_comment(text)) {
    std::string lower(*line);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower.starts_with("template language:")) {
      return lower.find("javascript") != std::string::npos;
    }
  }
  return false;
}

namespace {

std::set<std::string_view> extension_fields() {
  std::set<std::string_view> names;
  for (const NodeType& type : all_node_types()) {
    for (const FieldType* field : type.fields) {
      if (field->extension) {
        names.insert(field->name);
      }
    }
  }
  return names;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Removes a word, or what is no word, from the beginning of `text` and returns it.
std::string_view take(std::string_view& text, bool word) {
  const auto end = static_cast<std::size_t>(
      std::find_if(text.begin(), text.end(), [&](char c) { return is_word(c) != word; }) -
      text.begin());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

bool begins_with_name(std::string_view word) {
  static constexpr std::string_view kName = "servosim";
  return word.size() >= kName.size() &&
         std::equal(kName.begin(), kName.end(), word.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

// Returns the extension field that `comment` names after a mark similar to ours; otherwise an empty
// text.
std::string_view meant_field(std::string_view comment, const std::set<std::string_view>& fields) {
  const auto only = [](std::string_view text, std::string_view allowed) {
    return text.find_first_not_of(allowed) == std::string_view::npos;
  };
  if (!only(take(comment, false), "# \t:") || !begins_with_name(take(comment, true)) ||
      !only(take(comment, false), " \t:")) {
    return {};
  }
  const auto field = fields.find(take(comment, true));
  const std::size_t value = comment.find_first_not_of(" \t");
  const bool has_value =
      value != std::string_view::npos &&
      (std::string_view("+-.0123456789\"").find(comment[value]) != std::string_view::npos ||
       comment.substr(value, 3) == "IS ");
  return field == fields.end() || !has_value ? std::string_view{} : *field;
}

}  // namespace

void check_extension_marks(const Source& source, Diagnostics& diagnostics) {
  const std::string_view text = source.text;
  const std::set<std::string_view> fields = extension_fields();
  if (std::none_of(fields.begin(), fields.end(), [&](std::string_view field) {
        return text.find(field) != std::string_view::npos;
      })) {
    return;  // true for most files, which saves distinguishing comments from strings
  }
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (c == '\n') {
      in_string = false;
    } else if (c == '#' && !in_string && !starts_extension(text.substr(i))) {
      const std::size_t end = std::min(text.find_first_of("\r\n", i), text.size());
      if (const auto field = meant_field(text.substr(i, end - i), fields); !field.empty()) {
        diagnostics.replacement(
            source.at(static_cast<std::uint32_t>(i)),
            fmt::format("this is a comment; write '#servosim {}' for the field", field));
      }
      i = end - 1;
    }
  }
}

}  // namespace servosim::wbt
