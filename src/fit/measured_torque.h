// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "fit/fit_rig.h"

namespace servosim {

/// Returns, for each sample of a log in which the torque is on, the speed [rad/s] and the torque
/// that the servo put on the rig [N·m]: what its inertia and its weight needed, by the smoothed
/// position. Empty for a rig that does not tell both.
std::vector<std::pair<double, double>> torque_speed_points(const FitRig& rig, std::size_t log);

}  // namespace servosim
