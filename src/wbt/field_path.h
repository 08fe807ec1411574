// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/field_place.h"
#include "wbt/tree.h"

// Finds fields of a tree by paths such as `arm/shoulder.maxTorque` or `HAND.physics.mass`: see
// FieldSetting.

namespace servosim::wbt {

/// A name that is no DEF: that of a robot, a joint, a device or a Solid. Its nodes are in the order
/// in which a field is searched in them.
struct NamedNodes {
  std::string name;  // complete, such as `robot/joint`
  std::vector<std::uint32_t> nodes;
};

/// Returns the field that a path names. The robot may be omitted from a name if that is unique.
/// @throws FieldPathError
FieldPlace find_field_place(const Tree& tree, const std::vector<NamedNodes>& names,
                            std::string_view path);

/// Returns all fields that a path names. The owner may be a pattern (name_matches()), and a list
/// without an index means all of its nodes. Nodes that lack the field are ignored.
/// @throws FieldPathError if it names none
std::vector<FieldPlace> find_field_places(const Tree& tree, const std::vector<NamedNodes>& names,
                                          std::string_view path);

/// Returns the names of the fields of the node to which a path leads. @throws FieldPathError
std::vector<std::string> find_field_names(const Tree& tree, const std::vector<NamedNodes>& names,
                                          std::string_view path);

}  // namespace servosim::wbt
