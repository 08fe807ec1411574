// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wbt/lexer.h"
#include "wbt/node.h"

namespace servosim::wbt {

/// Reads values that hold no nodes: numbers, strings, booleans, vectors and lists of them.
class ValueReader {
 public:
  /// `lexer` is left behind the value. `room` is how much more lists may hold, in words of eight
  /// bytes; it sinks.
  ValueReader(Lexer& lexer, std::size_t& room) : lexer_(lexer), room_(room) {}

  /// The value that stands at lexer.peek(); nothing if it is none of `type`. What could not be
  /// read is skipped. MF types take a list in brackets or bare items.
  std::optional<Value> read(ValueType type);
  /// After a failed read(): what was expected and what was found.
  const std::string& problem() const { return problem_; }

 private:
  template <class T>
  std::optional<T> read_item();
  template <class T>
  std::optional<Value> read_single();
  template <class T>
  std::optional<Value> read_list();
  std::optional<Value> read_gravity();
  template <std::size_t n>
  std::optional<std::array<double, n>> read_numbers();
  void expected(std::string_view what);

  Lexer& lexer_;
  std::size_t& room_;
  std::string problem_;
};

/// Skips to behind the brace or bracket that closes the one at lexer.peek(); false if the text
/// ends first or they nest deeper than 10 000 levels.
bool skip_balanced(Lexer& lexer);
/// Skips what follows the name of a field: a list in brackets, else all numbers, strings, TRUE,
/// FALSE and NULL.
void skip_value(Lexer& lexer);

/// The value as a field of another type would hold it: one item becomes a list of one, an integer
/// a float. Nothing if it cannot.
std::optional<Value> converted(const Value& value, ValueType from, ValueType to);

/// What the lists and strings of a value take, in words of eight bytes.
std::size_t words_in(const Value& value);

/// The default of a row as a value; valid for ever.
const Value& default_value(const FieldType& field);

/// Zero, an empty text, NULL or an empty list.
Value initial_value(ValueType type);

bool holds_nodes(ValueType type);
/// e.g. "SFVec3f"
std::string_view to_string(ValueType type);
/// The type of that name in a PROTO interface, e.g. "SFVec3f".
std::optional<ValueType> parse_value_type(std::string_view name);

}  // namespace servosim::wbt
