// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "robots/robot_model.h"

namespace servosim::robots {

/// Makes each joint that follows one in a chain follow the last joint of the chain: the factors are
/// multiplied. Names of joints are unique, and each leader is one of the joints.
/// @returns a joint that follows itself by way of others, after which joints are left as they are;
///   null if there is none
const RobotJoint* follow_last_leaders(std::span<RobotJoint* const> joints);

/// Lets each joint that follows another one start where it belongs, as far as its stops let it.
/// Must be called after follow_last_leaders(), when the leaders have their starts.
void start_with_leaders(std::span<RobotJoint* const> joints);

/// Lets joints move on their own that should follow another one and that no world can couple, each
/// of which is a loss.
/// @param model  prepare_bodies() has prepared it
void drop_impossible_mimics(RobotModel& model, std::vector<Loss>& losses);

}  // namespace servosim::robots
