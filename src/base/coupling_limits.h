// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/limits.h"

// Bounds on couplings of joints.

namespace servosim {

/// The most joints of a coupling. A tendon of a hand has fewer, and each costs a solver a row.
inline constexpr std::size_t kMaxCoupledJoints = 16;

/// The largest ratio of a coupling, whose inverse is the smallest one. Beyond these a ratio is a
/// mistake, and the numbers of a solver lose their digits.
inline constexpr double kMaxCouplingRatio = 1e6;

/// The largest offset of a coupling [rad|m].
inline constexpr double kMaxCouplingOffset = kMaxFileJointPosition;

}  // namespace servosim
