// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "devices/sight.h"
#include "scene/drawn_shape.h"
#include "scene/scene.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}  // namespace wbt

/// Returns how Cameras and Radars recognise each Solid of a scene, by the tree of which it was
/// made.
std::vector<SolidLook> solid_looks(const wbt::WorldFile& file, const Scene& scene);

/// Returns the sphere around a shape, which still has its mesh, in the frame of its Solid.
BoundingSphere sphere_around(const DrawnShape& shape);

/// Returns a sphere around two others.
BoundingSphere sphere_around(const BoundingSphere& a, const BoundingSphere& b);

}  // namespace servosim
