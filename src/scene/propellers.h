// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scene/placement.h"
#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The numbers of a Propeller that stands at `at`, in the frame of the Solid above.
PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Diagnostics& diagnostics);

/// The RotationalMotor of a Propeller; nothing without one.
std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller,
                                               Diagnostics& diagnostics);

}  // namespace servosim
