// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// The Robot that stands for a DifferentialWheels: its children "left wheel" and "right wheel" turn
/// on joints with motors and sensors. One warning says what is lost and what controllers do then.
wbt::NodePtr robot_with_wheels(wbt::Node wheels, Diagnostics& diagnostics);

}  // namespace servosim
