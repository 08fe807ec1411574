// SPDX-License-Identifier: Apache-2.0
#include "wbt/schema/extension_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "wbt/lexer.h"
#include "wbt/schema/node_types.h"

namespace servosim::wbt {
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
