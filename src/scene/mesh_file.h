// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "scene/mesh_parts.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// What was read of mesh files, by path: a world that is built again need not read them again.
struct MeshStore {
  std::map<std::string, std::shared_ptr<const MeshParts>> files;
};

/// The files that the Mesh nodes of a world name. Each is read once, by a process of its own.
class MeshFiles {
 public:
  /// `world_folder`: where a relative url of the world begins.
  MeshFiles(std::string world_folder, Diagnostics& diagnostics, MeshStore known = {})
      : world_folder_(std::move(world_folder)),
        diagnostics_(diagnostics),
        known_(std::move(known)) {}

  /// The triangles of a Mesh node, stretched by `scale`; null with a warning if it has none.
  std::shared_ptr<const Mesh> read(const wbt::Node& node, const Vec3& scale);
  /// All that is known now.
  const MeshStore& known() const { return known_; }

 private:
  std::string path_of(const wbt::Node& node, std::string url) const;
  const MeshParts& parts_of(const std::string& path, const std::string& format);

  std::string world_folder_;
  Diagnostics& diagnostics_;
  MeshStore known_;
};

}  // namespace servosim
