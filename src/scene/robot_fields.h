// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// True for Robot and what derives from it or was renamed to it.
bool is_robot(const wbt::Node& node);

/// What a Robot node says of itself; solid index and devices are left to the caller.
RobotSpec read_robot(const wbt::Node& node, Diagnostics& diagnostics);

/// Splits an argument string of files before R2020b at spaces; ' and " protect spaces and go away.
std::vector<std::string> split_arguments(std::string_view text);

}  // namespace servosim
