// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/field_place.h"
#include "wbt/tree.h"

// Fields of a tree by paths, such as `arm/shoulder.maxTorque` or `HAND.physics.mass`: see
// FieldSetting.

namespace servosim::wbt {

/// A name that is no DEF: of a robot, a joint, a device or a Solid. Its nodes in the order in which
/// a field is looked for in them.
struct NamedNodes {
  std::string name;  // whole, such as `robot/joint`
  std::vector<std::uint32_t> nodes;
};

/// The field that a path names; a name may stand without its robot where that is unique.
/// @throws FieldPathError
FieldPlace find_field_place(const Tree& tree, const std::vector<NamedNodes>& names,
                            std::string_view path);

/// All fields that a path names whose owner may be a pattern (name_matches()), and which goes on
/// into all nodes of a list without an index. Those that lack the field are passed over.
/// @throws FieldPathError if it names none
std::vector<FieldPlace> find_field_places(const Tree& tree, const std::vector<NamedNodes>& names,
                                          std::string_view path);

/// The names of the fields of the node to which a path leads. @throws FieldPathError
std::vector<std::string> find_field_names(const Tree& tree, const std::vector<NamedNodes>& names,
                                          std::string_view path);

}  // namespace servosim::wbt
