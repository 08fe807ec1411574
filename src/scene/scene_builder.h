// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "servosim/diagnostics.h"

namespace servosim {

namespace wbt {
struct WorldFile;
}
struct MeshStore;
struct Substitute;

/// Turns a node tree into a typed scene and makes every check of Webots on the way: a bad value is
/// replaced and reported. Joints and shapes that are not simulated are reported too. `meshes`: what
/// is known of mesh files, or an empty pointer; takes what is known then. `substitutes`: takes the
/// values that fields should read instead of bad ones.
Scene build_scene(const wbt::WorldFile& file, Diagnostics& diagnostics,
                  std::shared_ptr<const MeshStore>* meshes = nullptr,
                  std::vector<Substitute>* substitutes = nullptr);

}  // namespace servosim
