// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/robot.h"

// These functions tell which motors an interface such as a control board or an SRVP robot can
// drive.

namespace servosim {

struct Scene;

/// Whether the device node is a motor that drives a joint. A motor of a propeller or without a
/// joint does not, and neither does one that was removed from the tree.
bool drives_joint(const DeviceNode& device);

/// Returns the device nodes of a robot for which drives_joint() is true, in the order of its nodes.
/// Pointers are valid until the tree is edited.
std::vector<const DeviceNode*> driven_joints(const Robot& robot);

/// Whether the joint is the belt of a Track whose motor has no minPosition and maxPosition, so that
/// it has no range of positions.
/// @param device  drives_joint() must be true for it
bool is_endless_belt(const Scene& scene, const DeviceNode& device);

}  // namespace servosim
