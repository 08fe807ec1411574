// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// The primitives of a boundingObject, in the frame of its Solid; `scale` is the accumulated scale
/// of the Solid. Shapes that are not simulated are left out with a warning.
std::vector<Shape> read_shapes(const wbt::Node& bounding_object, const Vec3& scale,
                               Diagnostics& diagnostics);

}  // namespace servosim
