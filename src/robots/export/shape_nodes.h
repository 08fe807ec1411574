// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "robots/robot_model.h"
#include "scene/mesh_file.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

// What exports need of the nodes of shapes that a scene does not keep: their files and colours.

namespace servosim::robots {

/// A file whose triangles a Mesh or CadShape node shows, all of them and as they are.
struct MeshOrigin {
  std::string path;  ///< absolute
  Vec3 scale;        ///< of its coordinates
};

/// Returns the file of a node; nothing if the node shows only a part of it, turns its triangles
/// inside out, or if the file is in an archive or not there.
std::optional<MeshOrigin> origin_of(const wbt::Node& node, const Vec3& scale,
                                    const MeshFiles& files);

/// Returns the colour of a Shape.
Material material_of(const wbt::Node& shape);

/// The Mesh nodes of the boundingObjects of Solids, by Node::id of the Solid and their places. Old
/// nodes with a scale, which also scales what is below them, are left out.
class MeshNodes {
 public:
  explicit MeshNodes(const wbt::WorldFile& world);

  /// Returns null if there is none.
  const wbt::Node* find(std::uint32_t solid, const SourceLocation& where) const;

 private:
  void look_at(const wbt::Node& node, std::uint32_t solid);

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, const wbt::Node*> nodes_;
};

}  // namespace servosim::robots
