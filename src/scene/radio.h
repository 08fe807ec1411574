// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// Makes `spec` an Emitter or a Receiver if `node`, which is Solid number `solid`, is one.
void read_antenna(const wbt::Node& node, int solid, DeviceSpec& spec, Diagnostics& diagnostics);

}  // namespace servosim
