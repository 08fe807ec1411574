// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// The same world as a present Webots writes it: version R2025a, present nodes and fields, the
/// axes and gravity of its era made explicit. PROTO instances are already their nodes. Whatever
/// has no counterpart is left out with a warning.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
