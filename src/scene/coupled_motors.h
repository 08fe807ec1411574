// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "scene/scene.h"

namespace servosim {

/// The part before the only `::` of a motor's name; motors of one robot that share it are coupled.
/// None if there is no `::`, or more than one.
std::optional<std::string_view> coupling_base(std::string_view motor_name);

/// Numbers the coupled motors of every robot (MotorSpec::coupling). The first of each group imposes
/// its soft limits and speed limit, by the ratio of multipliers, on the others: a warning each.
void couple_motors(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
