// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "golden/run_worlds.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "wbt/convert/convert.h"
#include "wbt/world_file.h"

// Worlds before and after their nodes and fields became present ones.

namespace servosim::test {

using Messages = std::vector<std::string>;

inline Messages messages_of(const Diagnostics& diagnostics) {
  Messages messages;
  for (const Diagnostic& d : diagnostics.list()) {
    messages.push_back(d.message);
  }
  return messages;
}

/// A world, its conversion, and the messages.
struct Converted {
  wbt::WorldFile before;
  wbt::WorldFile after;
  Messages said;  ///< messages of the conversion
};

inline Converted convert_nodes_and_fields(wbt::WorldFile world) {
  Diagnostics diagnostics;
  Converted result{world, std::move(world), {}};
  use_modern_nodes(result.after, diagnostics);
  use_modern_fields(result.after, diagnostics);
  result.said = messages_of(diagnostics);
  return result;
}

/// Converts `body`, which follows a header line.
inline Converted convert_body(const std::string& body, const std::string& version = "V6.0") {
  Diagnostics diagnostics;
  Converted result = convert_nodes_and_fields(wbt::read_world_text(
      "#VRML_SIM " + version + " utf8\n" + body, "w.wbt", "/nowhere/worlds", {}, diagnostics));
  EXPECT_EQ(messages_of(diagnostics), Messages());
  return result;
}

struct Built {
  Scene scene;
  Messages said;
};

/// `read` knows the files of the world, because mesh files are searched for next to them.
inline Built build(const wbt::WorldFile& world, const Diagnostics& read = {}) {
  Diagnostics diagnostics;
  diagnostics.sources() = read.sources();
  Scene scene = build_scene(world, diagnostics);
  return {std::move(scene), messages_of(diagnostics)};
}

}  // namespace servosim::test
