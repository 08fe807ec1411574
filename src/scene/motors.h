// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "scene/scene.h"
#include "scene/solids.h"
#include "wbt/node.h"

namespace servosim {

/// What coupled motors have in common, but for their multipliers.
struct CoupledLimits {
  double low = 0.0;  ///< minPosition and maxPosition; both 0 for none
  double high = 0.0;
  double velocity = 0.0;
};
/// Those of a motor with this multiplier that is coupled to one with `first` and `its_multiplier`.
CoupledLimits coupled_limits(const CoupledLimits& first, double its_multiplier, double multiplier);

/// Whether two of them differ by no more than the rounding error of a ratio, there and back.
bool same_limit(double a, double b);

/// The part before the only `::` of a motor's name; motors of one robot that share it are coupled.
/// None if there is no `::`, or more than one.
std::optional<std::string_view> coupling_base(std::string_view motor_name);

/// Numbers the coupled motors of every robot (MotorSpec::coupling). The first of each group imposes
/// its soft limits and speed limit, by the ratio of multipliers, on the others: a warning each.
void couple_motors(Scene& scene, Diagnostics& diagnostics);

/// The Muscle nodes of a motor, offsets as written.
std::vector<MuscleSpec> read_muscles(const wbt::Node& motor, Diagnostics& diagnostics);

/// Turns the start offsets from the frame the joint stands in into the parent Solid's.
void place_muscles(std::vector<MuscleSpec>& muscles, const Placement& at);

}  // namespace servosim
