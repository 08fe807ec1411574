// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/yarp/board_config.h"

namespace servosim::yarp {

/// Gains and bounds of a controller that the law can be computed with.
bool is_possible(const Pid& pid);

/// @throws std::invalid_argument naming the joint and the value.
void check(const BoardConfig& config);

}  // namespace servosim::yarp
