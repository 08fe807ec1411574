// SPDX-License-Identifier: Apache-2.0
#include "sim/watch.h"

#include "core/name_globs.h"
#include "servosim/simulation.h"

namespace servosim {

Watch watch(const Simulation& simulation, const std::vector<std::string>& globs) {
  const int joints = simulation.joint_count();
  std::vector<std::string> names;
  for (int j = 0; j < joints; ++j) {
    names.push_back(simulation.joint_name(j));
  }
  for (int p = 0; p < simulation.propeller_count(); ++p) {
    names.push_back(simulation.propeller_name(p));
  }
  const std::vector<bool> chosen = matching_names(names, globs, "`servosim info WORLD` lists them");
  Watch watched;
  for (int i = 0; i < static_cast<int>(chosen.size()); ++i) {
    if (chosen[i] && (i >= joints || simulation.joint_in_scene(i) >= 0)) {
      (i < joints ? watched.joints : watched.propellers).push_back(i < joints ? i : i - joints);
    }
  }
  return watched;
}

}  // namespace servosim
