// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace servosim {

/// Which Shape of a world it is, also after edits of the tree: a node may be in several places.
struct ShapeKey {
  std::uint32_t node = 0;   ///< wbt::Node::id
  std::uint32_t place = 0;  ///< of the places of that node, in the order of the file
  auto operator<=>(const ShapeKey&) const = default;
};

}  // namespace servosim
