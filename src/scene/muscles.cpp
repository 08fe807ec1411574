// SPDX-License-Identifier: Apache-2.0
#include "scene/muscles.h"

#include <fmt/format.h>

#include "scene/checks.h"

namespace servosim {

namespace {

MuscleSpec read_muscle(const wbt::Node& node, Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  return {checked.positive("volume", 0.01), checked.near_point("startOffset"),
          checked.near_point("endOffset")};
}

}  // namespace

std::vector<MuscleSpec> read_muscles(const wbt::Node& motor, Diagnostics& diagnostics) {
  // V8.6 had one muscle, in a field of its own.
  std::vector<wbt::NodePtr> nodes = motor.has("muscle")
                                        ? std::vector<wbt::NodePtr>{motor.node("muscle")}
                                        : motor.nodes("muscles");
  std::vector<MuscleSpec> muscles;
  for (const wbt::NodePtr& node : nodes) {
    if (node == nullptr) {
      continue;
    }
    if (node->type->name != "Muscle") {
      diagnostics.warning(node->where,
                          fmt::format("a {} is no Muscle; it is left out", node->type->name));
      continue;
    }
    muscles.push_back(read_muscle(*node, diagnostics));
  }
  return muscles;
}

void place_muscles(std::vector<MuscleSpec>& muscles, const Placement& at) {
  for (MuscleSpec& muscle : muscles) {
    muscle.start_offset = at.pose * scaled(muscle.start_offset, at.scale);
    muscle.end_offset = scaled(muscle.end_offset, at.scale);
  }
}

}  // namespace servosim
