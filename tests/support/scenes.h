// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "servosim/diagnostics.h"
#include "support/own_places.h"
#include "wbt/world_file.h"

// Loads worlds from text and returns their Scene and messages.

namespace servosim::test {

struct LoadedScene {
  Scene scene;
  std::vector<std::string> messages;  ///< `line:column: severity: message`, in order
};

/// `body` follows a header line, so its first line is line 2. `folder` is the folder of the world.
inline LoadedScene load_scene(const std::string& body, const std::string& version = "R2023b",
                              const std::string& folder = ".",
                              const wbt::ReadOptions& options = {}) {
  Diagnostics diagnostics;
  const wbt::WorldFile file =
      wbt::read_world_text("#VRML_SIM " + version + " utf8\n" + body, "w", folder,
                           without_places_here(options), diagnostics);
  LoadedScene loaded{build_scene(file, diagnostics), {}};
  for (const Diagnostic& d : diagnostics.list()) {
    loaded.messages.push_back(to_string(d).substr(2));
  }
  return loaded;
}

using Messages = std::vector<std::string>;

}  // namespace servosim::test
