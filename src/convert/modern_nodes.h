// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim {

/// Puts present nodes in the place of those that Webots dropped: joints for Servo, a Robot with two
/// wheel joints for DifferentialWheels. Axes, gravity and versions stay those of the file.
void use_modern_nodes(wbt::WorldFile& world, Diagnostics& diagnostics);

}  // namespace servosim
