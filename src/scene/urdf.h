// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace servosim {

struct Scene;

/// A robot as URDF: one link per Solid, one joint per edge of its tree, in file order. Names carry
/// `prefix` in front. A link has an inertial where the world states mass and inertia, and a
/// collision per primitive; a capsule becomes a cylinder and two spheres, planes and meshes have no
/// URDF without files and are left out. Nested robots are not part of it.
std::string to_urdf(const Scene& scene, int robot, const std::string& prefix);

}  // namespace servosim
