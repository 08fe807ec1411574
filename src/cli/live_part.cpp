// SPDX-License-Identifier: Apache-2.0
#include "cli/live_part.h"

#include "cli/run_srvp.h"
#include "cli/run_yarp.h"

namespace servosim {

std::vector<std::unique_ptr<LivePart>> live_parts() {
  std::vector<std::unique_ptr<LivePart>> parts;
  parts.push_back(srvp_part());
  parts.push_back(yarp_part());
  return parts;
}

std::vector<std::unique_ptr<FrontEnd>> open_front_ends(
    const std::vector<std::unique_ptr<LivePart>>& parts, Simulation& simulation, Console& console) {
  std::vector<std::unique_ptr<FrontEnd>> front_ends;
  for (const auto& part : parts) {
    if (part->wanted()) {
      front_ends.push_back(part->open(simulation, console));
    }
  }
  return front_ends;
}

}  // namespace servosim
