// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fit/bench.h"
#include "servosim/simulation.h"

namespace servosim {

/// Lets the motor of a joint follow the goals of a log: it has no torque where the log has none,
/// and starts where the log starts. Returns what it does at each sample; NaN from a step on that
/// the simulation cannot take.
/// @param joint  the name, as for Simulation::joint(); it has a motor
/// @param offset  what the log's encoder reads at the joint's 0 [rad]
std::vector<BenchState> follow_log(Simulation& simulation, const std::string& joint,
                                   const ServoLog& log, double offset);

}  // namespace servosim
