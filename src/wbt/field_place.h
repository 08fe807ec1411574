// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/tree.h"

// Reads and changes the values of fields, of items of lists and of numbers in them.

namespace servosim::wbt {

/// A field, an item of its list, or a number in one of them.
struct FieldPlace {
  std::uint32_t node = 0;
  FieldKey key;
  std::optional<std::size_t> item = {};
  /// The components x, y, z of a vector are 0, 1, 2; the angle of a rotation is 3; a field of the
  /// servo in a field `servo` is its index in servo_fields(); -1 means the whole value.
  int part = -1;
  friend bool operator==(const FieldPlace&, const FieldPlace&) = default;
};

/// A path that names nothing, or an invalid value. what() tells why, and what exists.
class FieldPathError : public std::runtime_error {
 public:
  /// @param byte  offset in the path or in the value
  FieldPathError(std::size_t byte, const std::string& why)
      : std::runtime_error(why), at(byte), reason(why) {}
  /// @param wrong  a name that does not exist
  /// @param all  the names that are possible there
  /// @param hint  what to do if none of them is close
  FieldPathError(std::size_t byte, const std::string& why, std::string_view wrong,
                 std::vector<std::string> all, std::string_view hint);
  std::size_t at;
  std::string reason;  ///< without a suggestion
  std::string name = {};
  std::vector<std::string> names = {};
};

/// Returns the type of the items of a list; otherwise the type itself.
ValueType item_type(ValueType list);
/// Returns the type of the value at the place.
ValueType type_at(const Tree& tree, const FieldPlace& place);

/// Returns whether the place is a field of the servo in a field `servo`.
bool is_servo_field(const Tree& tree, const FieldPlace& place);

/// Returns the value at the place, given the value of the whole field. @throws FieldPathError if it
/// has no such item
/// @param servos  in which the servo of a field `servo` is found; without it a value that the field
///   does not name is NaN or an empty text
Value value_at(const Value& whole, const FieldPlace& place, const ServoCatalogue* servos = nullptr);
/// Returns the value of the whole field with `value` at the place. @throws FieldPathError if it has
/// no such item
Value whole_with(Value whole, const FieldPlace& place, Value value);

/// Reads a value for `place` from a text without nodes. A string may lack quotes; then blanks
/// around it are ignored.
/// @throws FieldPathError
Value read_flat_value(ValueType type, std::string_view text);

/// Returns the edits that set the field: the field itself, the fields that get their value from it
/// as a parameter, or the parameters from which it gets its value by IS. Each gets `where` as its
/// location. `last_id` of the result is that of the world if a PROTO instance is rebuilt; its
/// messages go to `diagnostics`.
/// @throws FieldPathError if the PROTO cannot be made with the value
Edits edits_for(const Tree& tree, const FieldPlace& place, Value value, SourceLocation where,
                Diagnostics& diagnostics);

/// Returns whether the field is a parameter that a template of its PROTO uses, so that the inside
/// of the instance is rebuilt.
bool rebuilds_instance(const Tree& tree, const FieldPlace& place);

}  // namespace servosim::wbt
