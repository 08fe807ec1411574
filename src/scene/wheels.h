// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The fields of a DifferentialWheels node; its wheels are left to the caller.
DifferentialWheelsSpec read_wheels(const wbt::Node& node, Diagnostics& diagnostics);

/// 0 or 1 for a Solid that is the left or the right wheel by its name; -1 for others.
int wheel_side(const wbt::Node& node);

/// The hinge that turns a wheel: forwards, towards the robot's -z, when its position grows.
JointSpec wheel_joint(const wbt::Node& wheel);

}  // namespace servosim
