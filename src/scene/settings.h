// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

/// The WorldInfo node with every value checked; Webots' defaults where there is none.
WorldSettings read_world_settings(const wbt::WorldFile& file, Diagnostics& diagnostics);

/// A Damping node, clamped to [0, 1].
Damping read_damping(const wbt::Node& node, Diagnostics& diagnostics);

/// True for Robot and what derives from it or was renamed to it.
bool is_robot(const wbt::Node& node);

/// What a Robot node says of itself; solid index and devices are left to the caller.
RobotSpec read_robot(const wbt::Node& node, Diagnostics& diagnostics);

}  // namespace servosim
