// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "robots/mjcf_parts.h"

namespace servosim::robots {

/// Reads the equalities, tendons and actuators of an MJCF file: joints get the joint that they
/// follow, their motors and the laws of these. What the description cannot hold is a loss; muscles,
/// adhesion, servos of orientations and tendons in space are errors.
void read_mjcf_drives(const MjcfContext& context, MjcfParts& parts);

}  // namespace servosim::robots
