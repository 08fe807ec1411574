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

/// Reads values without nodes: numbers, strings, booleans, vectors and lists of them.
class ValueReader {
 public:
  /// Reading moves `lexer` after the value. `room` is the remaining size of lists in words of
  /// eight bytes; it decreases.
  ValueReader(Lexer& lexer, std::size_t& room) : lexer_(lexer), room_(room) {}

  /// Returns the value at lexer.peek(); nothing if it is not of `type`. What could not be read is
  /// skipped. MF types accept a list in brackets or single items.
  std::optional<Value> read(ValueType type);
  /// Returns what was expected and what was found, after a failed read().
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

/// Skips the closing brace or bracket for the one at lexer.peek(). Returns false if the text ends
/// before it, or if they nest deeper than 10 000 levels.
bool skip_balanced(Lexer& lexer);
/// Skips what follows the name of a field: a list in brackets, or all numbers, strings, TRUE, FALSE
/// and NULL.
void skip_value(Lexer& lexer);

/// Returns the value as a field of another type contains it: one item becomes a list of one, an
/// integer becomes a float. Returns nothing if that is impossible.
std::optional<Value> converted(const Value& value, ValueType from, ValueType to);

/// Returns the size of the lists and strings in a value, in words of eight bytes.
std::size_t words_in(const Value& value);

/// Returns the default of a row as a value, which is valid forever.
const Value& default_value(const FieldType& field);

/// Returns zero, an empty text, NULL or an empty list.
Value initial_value(ValueType type);

bool holds_nodes(ValueType type);
/// Returns a name such as "SFVec3f".
std::string_view to_string(ValueType type);
/// Returns the type of that name in a PROTO interface, such as "SFVec3f".
std::optional<ValueType> parse_value_type(std::string_view name);

}  // namespace servosim::wbt
