// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "servosim/diagnostics.h"

namespace servosim::robots {

/// Reads an SDF of the versions 1.4 to 1.12: a model, or a world of models, with those that it
/// includes. Poses that are relative to frames, links, joints and models are resolved. What has no
/// counterpart here is added to `losses`; a file that contradicts itself is an error.
/// @param file  the number of the text in diagnostics.sources()
/// @returns nothing after an error
std::optional<RobotModel> read_sdf(std::uint32_t file, RobotFiles& files, Diagnostics& diagnostics,
                                   std::vector<Loss>& losses);

}  // namespace servosim::robots
