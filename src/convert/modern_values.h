// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wbt/node.h"

namespace servosim {

/// Says with present fields of a node what its old ones say, as far as they have successors. Those
/// that have none stay.
void use_modern_values(wbt::Node& node);

}  // namespace servosim
