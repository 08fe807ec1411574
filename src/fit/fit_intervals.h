// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fit/fit.h"

namespace servosim {

/// Sets the interval, the bounds that are reached and is_known of each parameter, and which
/// parameters are alike.
/// @param searches  of the same parameters; what those with nearly the same error differ by is part
///   of the intervals
void find_intervals(const FitRig& rig, const std::vector<FitParameter>& parameters,
                    const std::vector<FitSearch>& searches, Fit& fit);

}  // namespace servosim
