// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// Warns if `node`, which stands among the children of a node or of the world, does nothing there:
/// because it is not simulated, or because it belongs into a field of another node.
void report_inert(const wbt::Node& node, Diagnostics& diagnostics);

}  // namespace servosim
