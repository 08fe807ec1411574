// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/yarp/board_config.h"

namespace servosim::yarp {

/// Larger numbers mean nothing more, and their products might overflow.
inline constexpr double kLargest = 1e12;

/// A number that may be a reference or a parameter.
constexpr bool is_possible(double value) { return value >= -kLargest && value <= kLargest; }

/// Gains and bounds of a controller that the law can be computed with.
bool is_possible(const Pid& pid);

/// @throws std::invalid_argument naming the joint and the value.
void check(const BoardConfig& config);

}  // namespace servosim::yarp
