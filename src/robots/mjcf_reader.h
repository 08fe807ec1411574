// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "servosim/diagnostics.h"

namespace servosim::robots {

/// Reads a robot in MJCF, as MuJoCo 4.0 reads it, with the files that it includes. It starts in the
/// key frame `home`, or in the first one, or as the file has it. If the world
/// has nothing but a floor and one body, which is fixed or free, this body is the root; otherwise
/// the root is the world, which does not move. What the description cannot hold is added to
/// `losses`. What cannot be read is an error in `diagnostics`.
/// @param file  the number of the text in diagnostics.sources()
/// @returns nothing after an error
std::optional<RobotModel> read_mjcf(std::uint32_t file, RobotFiles& files, Diagnostics& diagnostics,
                                    std::vector<Loss>& losses);

}  // namespace servosim::robots
