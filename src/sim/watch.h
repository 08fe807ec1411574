// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim {

class Simulation;

/// The joints and propellers of a simulation that somebody wants to see, in its order.
struct Watch {
  std::vector<int> joints;
  std::vector<int> propellers;
};

/// Those whose name matches one of `globs`, as matching_names() says; all when there are none.
/// @throws std::invalid_argument for a glob that matches none
Watch watch(const Simulation& simulation, const std::vector<std::string>& globs);

}  // namespace servosim
