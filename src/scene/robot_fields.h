// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// True for Robot and what derives from it or was renamed to it.
bool is_robot(const wbt::Node& node);

/// What a Robot node says of itself; solid index and devices are left to the caller.
RobotSpec read_robot(const wbt::Node& node, Diagnostics& diagnostics);

}  // namespace servosim
