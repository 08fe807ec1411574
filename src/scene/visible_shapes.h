// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "scene/solids.h"

namespace servosim {

/// Whether a robot has an infra-red DistanceSensor, which sees Shapes.
bool sees_shapes(const Scene& scene);

/// Appends what an infra-red sensor sees of a Shape node of `solid` (-1: of the world) that stands
/// at `at`. A geometry that cannot be read is left out with a warning; lines and points are never
/// seen.
void read_visible_shape(const wbt::Node& node, const Placement& at, int solid,
                        MeshFiles& mesh_files, Diagnostics& diagnostics,
                        std::vector<VisibleShape>& shapes);

/// Whether a texture, which nothing reads, changes how much light the Shape throws back.
bool has_texture(const wbt::Node& shape);

}  // namespace servosim
