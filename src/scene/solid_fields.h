// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// Name, mass, shapes, material and start velocities of a Solid node; indices and pose are left to
/// the caller. `scale` is the accumulated scale of the Solid.
SolidSpec read_solid(const wbt::Node& node, const Vec3& scale, MeshFiles& mesh_files,
                     Diagnostics& diagnostics);

}  // namespace servosim
