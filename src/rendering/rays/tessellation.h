// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/drawn_shape.h"
#include "servosim/math.h"

// Webots draws round shapes as polyhedra, and its sensors see these: a default Sphere has 80 faces.
// The triangles here are the same.

namespace servosim::rays {

/// Returns the triangles of a primitive with normals and places in a picture, before they are
/// scaled by scale_of(). Shapes that differ only in that scale have the same triangles.
DrawnMesh tessellate(const DrawnShape& shape);

/// Returns how fine the triangles of a round shape are: as its subdivision, or as Webots replaces
/// one that is out of range.
int fineness_of(const DrawnShape& shape);

/// Returns the scale of the triangles of a shape along its axes: the sizes of a Box and a Plane,
/// radius and height of others, times the scale of the shape. A Mesh and a Capsule, whose ends
/// would not be round, have only that scale.
Vec3 scale_of(const DrawnShape& shape);

}  // namespace servosim::rays
