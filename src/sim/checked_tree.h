// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace servosim {

namespace wbt {
struct WorldFile;
}

struct MeshStore;
struct Scene;

/// A tree that can be simulated.
///
/// Threads: a plain value.
struct CheckedTree {
  std::shared_ptr<const wbt::WorldFile> file;  ///< the tree, with substitutes for bad values
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const MeshStore> meshes;
};

}  // namespace servosim
