// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/tree.h"

// Values of fields, of items of lists and of numbers of them: reading, changing.

namespace servosim::wbt {

/// A field, an item of its list, or a number of one of them.
struct FieldPlace {
  std::uint32_t node = 0;
  FieldKey key;
  std::optional<std::size_t> item = {};
  int part = -1;  ///< of a vector: x, y, z from 0 on, of a rotation: the angle, 3; -1: the whole
  friend bool operator==(const FieldPlace&, const FieldPlace&) = default;
};

/// A path that names nothing, or a value that is none; what() says why and what there is.
class FieldPathError : public std::runtime_error {
 public:
  /// @param byte  of the path, or of the value
  FieldPathError(std::size_t byte, const std::string& why)
      : std::runtime_error(why), at(byte), reason(why) {}
  /// @param wrong  a name that nothing has
  /// @param all  the names that could stand in its place
  /// @param hint  what to do where none of them is close
  FieldPathError(std::size_t byte, const std::string& why, std::string_view wrong,
                 std::vector<std::string> all, std::string_view hint);
  std::size_t at;
  std::string reason;  ///< without a suggestion
  std::string name = {};
  std::vector<std::string> names = {};
};

/// The type of the items of a list; else the type itself.
ValueType item_type(ValueType list);
/// The type of what is at the place.
ValueType type_at(const Tree& tree, const FieldPlace& place);

/// What is at the place, of the value of the whole field. @throws FieldPathError if it has no such
/// item
Value value_at(const Value& whole, const FieldPlace& place);
/// The value of the whole field with `value` at the place. @throws likewise
Value whole_with(Value whole, const FieldPlace& place, Value value);

/// A value for `place` from a text that holds no nodes; a string may stand without quotes, and
/// blanks around it do not count then.
/// @throws FieldPathError
Value read_flat_value(ValueType type, std::string_view text);

/// What sets the field: it, the fields that it is a parameter for, or the parameters that it IS.
/// Each gets `where` as its place. `last_id` of the result is that of the world if a PROTO
/// instance is built again; messages of that go to `diagnostics`.
/// @throws FieldPathError if the PROTO cannot be made with the value
Edits edits_for(const Tree& tree, const FieldPlace& place, Value value, SourceLocation where,
                Diagnostics& diagnostics);

/// Whether the field is a parameter that a template of its PROTO uses: what stands inside of the
/// instance is then built again.
bool rebuilds_instance(const Tree& tree, const FieldPlace& place);

}  // namespace servosim::wbt
