// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/tree.h"

// Fields of a tree by paths, such as `arm/shoulder.maxTorque` or `HAND.physics.mass`: see
// FieldSetting.

namespace servosim::wbt {

/// A name that is no DEF: of a robot, a joint or a device. Its nodes in the order in which a field
/// is looked for in them.
struct NamedNodes {
  std::string name;
  std::vector<std::uint32_t> nodes;
};

/// A field, or an item of its list.
struct FieldPlace {
  std::uint32_t node = 0;
  FieldKey key;
  std::optional<std::size_t> item = {};
};

/// A path that names nothing, or a value that is none; what() says why and what there is.
class FieldPathError : public std::runtime_error {
 public:
  /// @param at  the byte of the path, or of the value
  FieldPathError(std::size_t byte, const std::string& reason)
      : std::runtime_error(reason), at(byte) {}
  std::size_t at;
};

/// @throws FieldPathError
FieldPlace find_field_place(const Tree& tree, const std::vector<NamedNodes>& names,
                            std::string_view path);

/// The type of the field, or of an item of it.
ValueType type_at(const Tree& tree, const FieldPlace& place);

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
bool makes_anew(const Tree& tree, const FieldPlace& place);

}  // namespace servosim::wbt
