// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"
#include "wbt/node.h"

namespace servosim {

/// Where a node stands: the pose of its frame in the frame of the nearest Solid above, and the
/// product of the scales above it (files up to R2023a), which stretches lengths but no axes.
struct Placement {
  Pose pose;
  Vec3 scale{1.0, 1.0, 1.0};

  /// The placement of a Pose, Transform, Solid or Group node's children when the node stands here.
  Placement inside(const wbt::Node& node) const;
};

}  // namespace servosim
