// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// The primitives of a boundingObject, in the frame of its Solid; `scale` is the accumulated scale
/// of the Solid. What Webots allows in no boundingObject is left out with a warning.
std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               MeshFiles& mesh_files, Diagnostics& diagnostics);

/// Reads an ElevationGrid that stands at `shape.pose`: sets type, grid and pose, the latter turned
/// and moved for files whose heights are along y. False, with a warning, if it cannot be.
bool read_elevation_grid(const wbt::Node& node, const Vec3& scale, Diagnostics& diagnostics,
                         Shape& shape);

}  // namespace servosim
