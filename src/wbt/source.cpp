// SPDX-License-Identifier: Apache-2.0
#include "wbt/source.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "wbt/lexer.h"

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

}  // namespace servosim::wbt
