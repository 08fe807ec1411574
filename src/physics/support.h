// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/math.h"

namespace servosim {

/// Whether a point, seen along `down` (not 0), lies in the convex hull of others or on its rim. A
/// hull may be a line or a point.
bool is_supported(const Vec3& point, const std::vector<Vec3>& others, const Vec3& down);

}  // namespace servosim
