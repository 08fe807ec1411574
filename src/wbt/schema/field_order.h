// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "wbt/schema/node_types.h"

namespace servosim::wbt {

/// The indices of NodeType::fields in the order of Webots.
const std::vector<std::uint16_t>& field_order(const NodeType& type);

}  // namespace servosim::wbt
