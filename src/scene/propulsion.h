// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "scene/scene.h"
#include "scene/solids.h"
#include "wbt/node.h"

namespace servosim {

/// The numbers of a Propeller that stands at `at`, in the frame of the Solid above.
PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Diagnostics& diagnostics);

/// The RotationalMotor of a Propeller; nothing without one.
std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller,
                                               Diagnostics& diagnostics);

/// The fields of a DifferentialWheels node; its wheels are left to the caller.
DifferentialWheelsSpec read_wheels(const wbt::Node& node, Diagnostics& diagnostics);

/// 0 or 1 for a Solid that is the left or the right wheel by its name; -1 for others.
int wheel_side(const wbt::Node& node);

/// The hinge that turns a wheel: forwards, towards the robot's -z, when its position grows.
JointSpec wheel_joint(const wbt::Node& wheel);

}  // namespace servosim
