// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// Reads an ElevationGrid that stands at `shape.pose`: sets type, grid and pose, the latter turned
/// and moved for files whose heights are along y. False, with a warning, if it cannot be.
bool read_elevation_grid(const wbt::Node& node, const Vec3& scale, Diagnostics& diagnostics,
                         Shape& shape);

}  // namespace servosim
