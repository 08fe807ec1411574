// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "scene/drawing.h"
#include "servosim/math.h"
#include "wbt/node.h"

namespace servosim {

/// The triangles of a flat polygon, which need not be convex, as corners of it; counter-clockwise
/// seen from where the polygon is. Corners on a straight edge may be in none. Of one that crosses
/// itself, or has more than 256 corners and is not convex, they overlap.
std::vector<std::array<std::size_t, 3>> triangles_of(const std::vector<Vec3>& polygon);

/// What is seen of an IndexedFaceSet, with the normals and places in a picture that it has; without
/// normals of its own, edges flatter than its creaseAngle are smooth. Null if an index or a point
/// is out of range, or there is no triangle.
std::shared_ptr<const DrawnMesh> drawn_face_set(const wbt::Node& node);

}  // namespace servosim
