// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "wbt/world_file.h"

namespace servosim {

/// What a conversion did, for people.
struct Difference {
  std::size_t nodes = 0;            ///< of the converted world, those with USE counted once
  std::size_t changed = 0;          ///< of these, those that no node of the original equals
  std::size_t proto_instances = 0;  ///< of the original
};

/// Nodes are compared by their place, type, name and fields, without the nodes below.
Difference difference_between(const wbt::WorldFile& original, const wbt::WorldFile& converted);

}  // namespace servosim
