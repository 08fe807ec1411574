// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "scene/drawing.h"
#include "scene/scene_builder.h"
#include "support/own_places.h"
#include "wbt/test_support.h"

namespace servosim::test {

/// Draws a world.
/// @param body  its nodes
/// @param folder  where its files are
inline Drawing drawing_of(const std::string& body, DrawingUse use,
                          const std::string& version = "R2023b", const std::string& folder = ".") {
  Diagnostics diagnostics;
  const wbt::WorldFile file = wbt::read_world_text("#VRML_SIM " + version + " utf8\n" + body, "w",
                                                   folder, without_places_here({}), diagnostics);
  std::shared_ptr<const MeshStore> meshes;
  const Scene scene = build_scene(file, diagnostics, &meshes);
  DrawingStore store;
  return draw(file, scene, {}, meshes.get(), diagnostics.sources(), store, use);
}

}  // namespace servosim::test
