// SPDX-License-Identifier: Apache-2.0
#include "scene/inert_nodes.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace servosim {

namespace {

struct Place {
  std::string_view type;
  std::string_view field;
};

// Webots allows these nowhere else.
constexpr std::array<Place, 9> kPlaces{{
    {"SolidReference", "the endPoint of a joint"},
    {"Muscle", "the muscles of a motor"},
    {"JointParameters", "the jointParameters of a joint"},
    {"HingeJointParameters", "the jointParameters of a joint"},
    {"BallJointParameters", "the jointParameters of a joint"},
    {"Physics", "the physics of a Solid"},
    {"Damping", "the damping of a Physics node or the defaultDamping of WorldInfo"},
    {"ImmersionProperties", "the immersionProperties of a Solid"},
    {"ContactProperties", "the contactProperties of WorldInfo"},
}};

}  // namespace

void report_inert(const wbt::Node& node, Diagnostics& diagnostics) {
  if (node.type->name == "Fluid") {
    diagnostics.warning(node.where, "Fluid is not simulated; it does not act");
  }
  for (const Place& place : kPlaces) {
    if (node.type->name == place.type) {
      diagnostics.warning(node.where, fmt::format("a {} has no effect here; it belongs into {}",
                                                  place.type, place.field));
    }
  }
}

}  // namespace servosim
