// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"

namespace servosim {

/// Returns the rotation that URDF and SDF write as roll, pitch and yaw [rad]: a turn about x, then
/// y, then z, whose axes stay.
Mat3 rotation_of_rpy(const Vec3& rpy);

/// Returns the angles of a rotation [rad], of which the pitch is within ±π/2. At its ends the yaw
/// is 0.
Vec3 rpy_of_rotation(const Mat3& rotation);

}  // namespace servosim
