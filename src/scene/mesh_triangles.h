// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "scene/mesh_file.h"

namespace servosim {

/// Returns the triangles of a file of this machine, whose ending says its format. It is read in a
/// separate process, unless one of the last files was the same.
std::shared_ptr<const MeshParts> read_triangles(const std::string& path, MeshHelper& helper);

/// Returns the factors of the coordinates in the file of a Mesh node, negative to mirror it; 1 for
/// other nodes, and for factors of 0.
Vec3 mesh_scale(const wbt::Node& node);

}  // namespace servosim
