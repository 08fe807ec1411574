// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "robots/robot_model.h"

namespace servosim::robots {

/// Makes each joint that follows one in a chain follow the last joint of the chain: the factors are
/// multiplied. Names of joints are unique, and each leader is one of the joints.
/// @returns a joint that follows itself by way of others, after which joints are left as they are;
///   null if there is none
const RobotJoint* follow_last_leaders(std::span<RobotJoint* const> joints);

}  // namespace servosim::robots
