// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "servosim/diagnostics.h"

namespace servosim::robots {

/// Reads a robot in URDF 1.0, with capsules and with the elements of Gazebo. An element that has no
/// meaning here is added to `losses`. What cannot be read is an error in `diagnostics`.
/// @param file  the number of the text in diagnostics.sources()
/// @returns nothing after an error
std::optional<RobotModel> read_urdf(std::uint32_t file, RobotFiles& files, Diagnostics& diagnostics,
                                    std::vector<Loss>& losses);

}  // namespace servosim::robots
