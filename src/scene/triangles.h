// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scene/scene.h"

namespace servosim {

/// Largest size and coordinate of a shape [m]; ODE keeps meshes in single precision.
inline constexpr double kLargestShape = 1e6;

inline bool is_in_range(const Vec3& v) {
  return is_finite(v) && std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) < kLargestShape;
}

/// Adds a triangle whose corners are counter-clockwise seen from outside, or clockwise if not
/// `ccw`; one without an area is left out.
inline void add_triangle(Mesh& mesh, std::array<std::uint32_t, 3> corners, bool ccw) {
  if (!ccw) {
    std::swap(corners[1], corners[2]);
  }
  const Vec3& a = mesh.vertices[corners[0]];
  const Vec3 edge1 = mesh.vertices[corners[1]] - a;
  const Vec3 edge2 = mesh.vertices[corners[2]] - a;
  if (norm(cross(edge1, edge2)) > 1e-20) {
    mesh.triangles.push_back(corners);
  }
}

}  // namespace servosim
