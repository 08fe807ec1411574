// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

}  // namespace servosim
