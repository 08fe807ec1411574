// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scene/placement.h"
#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// A light that stands at `at` below its Solid, which is left to the caller; nothing if `node` is
/// no light or, unless it is one of an LED, is off.
std::optional<LightSpec> read_light(const wbt::Node& node, const Placement& at, bool is_of_led,
                                    Diagnostics& diagnostics);

/// What an LED is, without its lights; nothing if `device` is none.
std::optional<LedSpec> read_led(const wbt::Node& device, Diagnostics& diagnostics);

}  // namespace servosim
