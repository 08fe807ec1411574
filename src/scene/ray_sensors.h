// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scene/checks.h"
#include "scene/scene.h"
#include "scene/solids.h"
#include "wbt/node.h"

namespace servosim {

/// The rays of a DistanceSensor. The first one, or a ring where they are few, is the middle; the
/// others stand evenly on rings around +x, the outermost one at half the aperture, and left mirrors
/// right.
std::vector<SensorRay> read_rays(const Checked& sensor);

/// How far they reach: to the last value of the lookup table; to infinity without one.
double ray_range(const Checked& sensor, std::span<const LookupRow> table);

/// A light that stands at `at` below its Solid, which is left to the caller; nothing if `node` is
/// no light or, unless it is one of an LED, is off.
std::optional<LightSpec> read_light(const wbt::Node& node, const Placement& at, bool is_of_led,
                                    Diagnostics& diagnostics);

/// What an LED is, without its lights; nothing if `device` is none.
std::optional<LedSpec> read_led(const wbt::Node& device, Diagnostics& diagnostics);

}  // namespace servosim
