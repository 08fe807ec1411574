// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wbt/node.h"

namespace servosim::wbt {

/// Gives the Solid of a stand-in children that show what its boundingObject holds, in plain
/// colours: floors in one, all else in another. The geometries are shared.
void show_shapes(Node& solid);

}  // namespace servosim::wbt
