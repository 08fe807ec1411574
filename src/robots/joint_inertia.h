// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "robots/mjcf_parts.h"

namespace servosim::robots {

/// The most degrees of freedom of which joint_inertias() makes a mass matrix.
inline constexpr std::size_t kMaxInertiaFreedoms = 500;

/// Returns for each joint the inertia that a motor feels in the pose of the file while no other
/// joint is held, 1/(M⁻¹)_ii with the armatures in the mass matrix M [kg·m²|kg]; 0 for joints
/// without an axis. It is empty if there are too many degrees of freedom, or if M is singular.
std::vector<double> joint_inertias(const MjcfParts& parts);

}  // namespace servosim::robots
