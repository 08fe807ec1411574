// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/robot.h"

// Which motors an interface such as a control board or an SRVP robot can drive.

namespace servosim {

struct Scene;

/// Whether the device is a motor that drives a joint: not one of a propeller or without a joint,
/// and not one that was removed from the tree.
bool drives_joint(const DeviceNode& device);

/// The devices of a robot for which drives_joint() is true, in the order of its devices. Pointers
/// are valid until the tree is edited.
std::vector<const DeviceNode*> driven_joints(const Robot& robot);

/// Whether the joint of a device that drives_joint() is the belt of a Track whose motor has no
/// minPosition and maxPosition: it has no range of positions.
bool is_endless_belt(const Scene& scene, const DeviceNode& device);

}  // namespace servosim
