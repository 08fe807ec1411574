// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/template_text.h"

#include <algorithm>

#include "base/assert.h"
#include "wbt/lexer.h"

namespace servosim::wbt {
namespace {

using Kind = TemplatePiece::Kind;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Adds the names that `code` uses from the table `table`.
void add_mentions(std::string_view code, std::string_view table, Mentions& mentions) {
  for (std::size_t at = 0; (at = code.find(table, at)) != std::string_view::npos;) {
    const char before = at > 0 ? code[at - 1] : ' ';
    // Two dots join texts in Lua, and three spread a table in JavaScript.
    const bool is_member = before == '.' && (at < 2 || code[at - 2] != '.');
    at += table.size();
    if (is_name(before) || is_member || (at < code.size() && is_name(code[at]))) {
      continue;  // a part of another name, or the fields of a node
    }
    if (at == code.size() || code[at] != '.') {
      mentions.any = true;
      return;
    }
    std::size_t end = at + 1;
    while (end < code.size() && is_name(code[end])) {
      ++end;
    }
    mentions.names.insert(code.substr(at + 1, end - at - 1));
  }
}

// Splits a body into text, statements and expressions.
//
// Invariant: text_begin_ <= at_, and the pieces are in the order of the text.
class TemplateTokenizer {
 public:
  TemplateTokenizer(std::string_view text, std::size_t body)
      : text_(text), at_(body), text_begin_(body) {}

  std::optional<TemplateText> split() {
    if (says_javascript(text_)) {
      set_language(TemplateLanguage::JavaScript);
    }
    while (at_ + 1 < text_.size() && !result_.unclosed) {
      if (text_[at_] == '%' && is_mark(text_[at_ + 1])) {
        take_code();
      } else {
        pass();
      }
    }
    if (mark_ == 0 || (result_.pieces.empty() && !result_.unclosed)) {
      return std::nullopt;
    }
    add(Kind::Text, text_begin_, text_.size());
    return std::move(result_);
  }

 private:
  void set_language(TemplateLanguage language) {
    result_.language = language;
    mark_ = language == TemplateLanguage::Lua ? '{' : '<';
  }

  // If no comment states the language, the first mark decides.
  bool is_mark(char c) {
    if (mark_ == 0 && (c == '{' || c == '<')) {
      set_language(c == '{' ? TemplateLanguage::Lua : TemplateLanguage::JavaScript);
    }
    return c == mark_;
  }

  // Skips a character or a comment outside of code.
  void pass() {
    const char c = text_[at_];
    if (in_string_ && c == '\\' && text_[at_ + 1] != '%') {
      ++at_;
    } else if (c == '"') {
      in_string_ = !in_string_;
    } else if (c == '\n' || c == '\r') {
      in_string_ = false;
    } else if (c == '#' && !in_string_ && !starts_extension(text_.substr(at_))) {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      return;
    }
    ++at_;
  }

  void take_code() {
    const std::string_view end = mark_ == '{' ? "}%" : ">%";
    const std::size_t close = text_.find(end, at_ + 2);
    add(Kind::Text, text_begin_, at_);
    if (close == std::string_view::npos) {
      result_.unclosed = static_cast<std::uint32_t>(at_);
      return;
    }
    const bool is_expression = text_[at_ + 2] == '=';
    const std::size_t begin = at_ + (is_expression ? 3 : 2);
    add(is_expression ? Kind::Expression : Kind::Statement, begin, std::max(begin, close));
    add_mentions(result_.pieces.back().text, "fields", result_.fields);
    add_mentions(result_.pieces.back().text, "context", result_.context);
    at_ = text_begin_ = close + end.size();
  }

  void add(Kind kind, std::size_t begin, std::size_t end) {
    if (kind == Kind::Text && begin >= end) {
      return;
    }
    SERVOSIM_ASSERT(counted_ <= begin, "piece at {} before {}", begin, counted_);
    const std::string_view since = text_.substr(counted_, begin - counted_);
    line_ += static_cast<std::uint32_t>(std::count(since.begin(), since.end(), '\n'));
    counted_ = begin;
    result_.pieces.push_back({kind, line_, text_.substr(begin, end - begin)});
    result_.offsets.push_back(static_cast<std::uint32_t>(begin));
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t text_begin_;  // begin of the text that is not in a piece yet
  std::uint32_t line_ = 1;
  std::size_t counted_ = 0;  // the byte to which line_ belongs
  char mark_ = 0;            // 0 means unknown yet
  bool in_string_ = false;
  TemplateText result_;
};

bool has_tag(std::string_view text, std::string_view tag) {
  const std::string comments = leading_comments(text);
  const std::size_t tags = comments.find("tags:");
  return tags != std::string::npos &&
         std::string_view(comments).substr(tags, comments.find('\n', tags) - tags).find(tag) !=
             std::string_view::npos;
}

}  // namespace

std::optional<TemplateText> find_template(std::string_view text, std::uint32_t body) {
  auto found = TemplateTokenizer(text, body).split();
  if (found) {
    found->is_random = has_tag(text, "nonDeterministic");
    found->fields.any = found->fields.any || has_tag(text, "indirectFieldAccess");
  }
  return found;
}

std::string_view to_string(TemplateLanguage language) {
  return language == TemplateLanguage::Lua ? "Lua" : "JavaScript";
}

}  // namespace servosim::wbt
