// SPDX-License-Identifier: Apache-2.0
#include "wbt/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "wbt/lexer.h"
#include "wbt/schema/node_types.h"

namespace servosim::wbt {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// Takes the next leading comment line off `text`, without its '#'.
std::optional<std::string_view> take_comment(std::string_view& text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    text.remove_prefix(3);
  }
  text = trimmed(text);
  if (text.empty() || text[0] != '#') {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = trimmed(text.substr(1, end - 1));
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
      trimmed(line->substr(kFirst.size(), line->size() - kFirst.size() - kLast.size())));
}

std::string leading_comments(std::string_view text) {
  take_comment(text);
  std::string comments;
  std::string empty_lines;
  bool first = true;  // what is left of the line of the header
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
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

// Takes what is not a word, or the word, off the front of `text`.
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

// The extension field that `comment` names after something like our mark; else empty.
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
      (std::string_view("+-.0123456789").find(comment[value]) != std::string_view::npos ||
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
    return;  // most files: no need to tell comments from strings
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
        diagnostics.warning(
            source.at(static_cast<std::uint32_t>(i)),
            fmt::format("this is a comment; write '#servosim {}' for the field", field));
      }
      i = end - 1;
    }
  }
}

}  // namespace servosim::wbt
