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

/// Returns the triangles of a flat polygon, which need not be convex, as indices of its corners.
/// They are counter-clockwise seen from where the polygon is. Corners on a straight edge may be in
/// none. Triangles overlap if the polygon crosses itself, or has more than 256 corners and is not
/// convex.
std::vector<std::array<std::size_t, 3>> triangles_of(const std::vector<Vec3>& polygon);

/// Returns what is visible of an IndexedFaceSet, with its normals and places in a picture. If it
/// has no normals, edges flatter than its creaseAngle are smooth. Returns null if an index or a
/// point is out of range, or if there is no triangle.
std::shared_ptr<const DrawnMesh> drawn_face_set(const wbt::Node& node);

}  // namespace servosim
