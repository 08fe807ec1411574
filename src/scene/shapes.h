// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The primitives of a boundingObject, in the frame of its Solid; `scale` is the accumulated scale
/// of the Solid. What Webots allows in no boundingObject is left out with a warning.
std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               MeshFiles& mesh_files, Diagnostics& diagnostics);

}  // namespace servosim
