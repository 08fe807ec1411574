// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"

namespace servosim {

/// Latitude [°], longitude [°] and altitude [m] of a place `offset` (east, north, up) [m] from
/// `reference`, which is given likewise: east and north are those of the map of the UTM zone that
/// the reference lies in.
Vec3 place_on_earth(const Vec3& reference, const Vec3& offset);

}  // namespace servosim
