// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "robots/export/loss_kinds.h"
#include "robots/robot_model.h"

namespace servosim::robots {

/// Writes one robot as URDF. Its links have their frames at their joints, as URDF wants it. What
/// URDF cannot say is added to `lost`, and each link with several joints, which becomes a chain, to
/// `losses`.
/// @param model  its first link is the world
/// @param top  the link at which the robot begins; what is not below it is left out
/// @param folder  of the file, absolute; meshes are named from there
/// @returns the text but for the comment at its head
std::string urdf_of(const RobotModel& model, std::size_t top, const std::string& folder,
                    LossKinds& lost, std::vector<Loss>& losses);

}  // namespace servosim::robots
