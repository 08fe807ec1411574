// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "servosim/simulation.h"

// The text of a robot's field customData, which its controller and a supervisor share.

namespace servosim {

/// As the tree has it; null if the robot `node` is gone.
const std::string* custom_data_of(const Simulation& simulation, std::uint32_t node);
/// Writes it into the tree, where a supervisor reads it.
void set_custom_data(Simulation& simulation, std::uint32_t node, const std::string& text);

}  // namespace servosim
