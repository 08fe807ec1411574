// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "wbt/tree.h"

namespace servosim::wbt {

/// A parameter of the instance that `node` is the root of.
struct ParameterPlace {
  std::uint32_t node = 0;
  int level = 1;  ///< as of instance_at()
  std::uint32_t number = 0;
  ValueType type = ValueType::SFFloat;
};

/// The parameters that field `field` of `node` IS: of the instance whose body it stands in, of
/// those that one is derived from, and of those around it.
std::vector<ParameterPlace> parameters_of(const Tree& tree, std::uint32_t node,
                                          const FieldType& field);

}  // namespace servosim::wbt
