// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "robots/export/loss_kinds.h"
#include "robots/robot_model.h"

namespace servosim::robots {

/// Writes a model of which the first link is the world as MJCF. Poses are those at which all joints
/// are at 0; the key `home` has the start. A motor without a law of an actuator becomes a position
/// servo. What MJCF cannot say is added to `lost`.
/// @param folder  of the file, absolute; meshes are named from there
/// @returns the text but for the comment at its head, which insert_comment() adds
std::string mjcf_of(const RobotModel& model, const std::string& folder, LossKinds& lost);

}  // namespace servosim::robots
