// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scene/scene.h"

namespace servosim {

/// What one object of a mesh file has of one material. Its coordinates may be any numbers.
struct MeshPart {
  std::string name;
  std::int32_t material = 0;
  Mesh mesh;
};

/// All of a file that is triangles, or a clause that says why there is nothing.
using MeshParts = std::variant<std::vector<MeshPart>, std::string>;

/// The bytes in which the program mesh_reader writes its result.
std::string encode(const MeshParts& parts);
/// Nothing unless the bytes are a whole result whose triangles have the vertices they name.
std::optional<MeshParts> decode_mesh_parts(std::string_view bytes);

/// Most triangles of a file: beyond, loading takes minutes and a step seconds.
inline constexpr std::size_t kMostTriangles = 1'000'000;
/// Of the processor, for one file [s]: 30, or what this process itself is held to (ulimit -t).
unsigned most_seconds();

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
