// SPDX-License-Identifier: Apache-2.0
#include "wbt/legacy.h"

#include <utility>

#include "wbt/hidden_fields.h"

namespace servosim::wbt {
namespace {

void set_default(Node& node, std::string_view name, Value value) {
  if (!node.has(name)) {
    set_field(node, *node.type->field(name, node.version), node.where, std::move(value));
  }
}

void split_controller_args(Node& node) {
  const Field* field = node.find("controllerArgs");
  if (field == nullptr || node.version >= kR2020b) {
    return;
  }
  const auto& words = std::get<std::vector<std::string>>(field->value);
  if (words.size() == 1) {
    set_field(node, *field->type, field->where, split_arguments(words[0]));
  }
}

}  // namespace

std::optional<Value> read_legacy_value(const FieldType& field, Lexer& lexer) {
  const bool on = lexer.peek().is("TRUE");
  if (field.name != "filtering" || (!on && !lexer.peek().is("FALSE"))) {
    return std::nullopt;
  }
  lexer.advance();
  return Value(on ? std::int32_t{4} : std::int32_t{0});
}

void upgrade(Node& node, std::string_view written_type) {
  if (written_type == "Supervisor") {
    set_default(node, "supervisor", true);
    set_default(node, "name", std::string("supervisor"));
    set_default(node, "controller", std::string("void"));
  }
  split_controller_args(node);
}

std::vector<std::string> split_arguments(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && c == ' ') {
      if (in_word) {
        words.push_back(std::exchange(word, {}));
      }
      in_word = false;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) {
    words.push_back(word);
  }
  return words;
}

std::string quoted_argument(std::string_view word) {
  if (!word.empty() && word.find_first_of(" \"'") == std::string_view::npos) {
    return std::string(word);
  }
  std::string line = "'";
  for (const char c : word) {
    line += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  }
  return line + '\'';
}

}  // namespace servosim::wbt
