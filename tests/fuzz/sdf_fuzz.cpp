// SPDX-License-Identifier: Apache-2.0
// Reads any text as an SDF and makes a world of it. What is made must be read without an error
// unless the text had one, and reading it again must give the same world.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "robots/robot_files.h"
#include "robots/robot_world.h"
#include "robots/sdf_reader.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

using namespace servosim;

namespace {

wbt::WorldFile read(const std::string& text, Diagnostics& diagnostics) {
  return wbt::read_world_text(text, "robot.wbt", "/nowhere", {}, diagnostics);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add(
      "robot.sdf", std::string(reinterpret_cast<const char*>(data), size));
  robots::RobotFiles files("/nowhere");
  std::vector<robots::Loss> losses;
  std::optional<robots::RobotModel> model = robots::read_sdf(file, files, diagnostics, losses);
  if (model.has_value() == (diagnostics.errors() > 0)) {
    std::abort();
  }
  if (!model) {
    return 0;
  }
  const robots::RobotWorld made = robots::world_of_robot(std::move(*model), "/nowhere", {}, losses);
  Diagnostics of_world;
  const wbt::WorldFile world = read(made.text, of_world);
  Diagnostics of_copy;
  const wbt::WorldFile copy = read(wbt::write_world(world), of_copy);
  if (of_world.errors() > 0 || of_copy.errors() > 0 || !wbt::equal(world, copy)) {
    std::abort();
  }
  return 0;
}
