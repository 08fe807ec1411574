// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/simulation_core.h"

namespace servosim {

/// The effort that holds a joint at rest at a position against gravity and its spring [N·m|N],
/// positive where it pushes the position up; all other joints stay as they are. What touches the
/// bodies is left out.
/// @param joint  index in Scene::joints
/// @return nothing for a joint with several axes, one that closes a loop, or one without Physics
std::optional<double> holding_effort(const SimulationCore& core, int joint, double position);

}  // namespace servosim
