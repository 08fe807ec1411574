// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "robots/robot_files.h"
#include "robots/robot_world.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace servosim::fuzz {

inline wbt::WorldFile read_robot_world(const std::string& text, Diagnostics& diagnostics) {
  return wbt::read_world_text(text, "robot.wbt", "/nowhere", {}, diagnostics);
}

/// Reads any text as a robot's file, by `read_robot`, and makes a world of it. What is made must be
/// read without an error unless the text had one, and reading it again must give the same world.
template <class Reader>
void check_robot_file(const char* name, const std::uint8_t* data, std::size_t size,
                      Reader read_robot) {
  Diagnostics diagnostics;
  const std::uint32_t file =
      diagnostics.sources().add(name, std::string(reinterpret_cast<const char*>(data), size));
  robots::RobotFiles files("/nowhere");
  std::vector<robots::Loss> losses;
  std::optional<robots::RobotModel> model = read_robot(file, files, diagnostics, losses);
  if (model.has_value() == (diagnostics.errors() > 0)) {
    std::abort();
  }
  if (!model) {
    return;
  }
  const robots::RobotWorld made = robots::world_of_robot(std::move(*model), "/nowhere", {}, losses);
  Diagnostics of_world;
  const wbt::WorldFile world = read_robot_world(made.text, of_world);
  Diagnostics of_copy;
  const wbt::WorldFile copy = read_robot_world(wbt::write_world(world), of_copy);
  if (of_world.errors() > 0 || of_copy.errors() > 0 || !wbt::equal(world, copy)) {
    std::abort();
  }
}

}  // namespace servosim::fuzz
