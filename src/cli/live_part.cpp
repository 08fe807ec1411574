// SPDX-License-Identifier: Apache-2.0
#include "cli/live_part.h"

namespace servosim {

std::vector<std::unique_ptr<LivePart>> live_parts() { return {}; }

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
