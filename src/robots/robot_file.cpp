// SPDX-License-Identifier: Apache-2.0
#include "robots/robot_file.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "base/xml.h"
#include "robots/mjcf_reader.h"
#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "robots/robot_world.h"
#include "robots/sdf_reader.h"
#include "robots/urdf_reader.h"
#include "wbt/made_world.h"

namespace servosim::robots {
namespace {

namespace fs = std::filesystem;

void report(const std::vector<Loss>& losses, Diagnostics& diagnostics, wbt::WorldFile& world) {
  for (const Loss& loss : losses) {
    if (!loss.moves) {
      diagnostics.missing_looks(loss.where, loss.what);
      continue;
    }
    diagnostics.replacement(loss.where, loss.what);
    if (world.lost.size() < Diagnostics::kMaxKept) {
      world.lost.push_back({loss.where, loss.what});
    }
  }
}

// Files called `.xml` are MJCF unless their first element is that of a URDF. One that is no XML is
// left to the reader.
bool is_mjcf(const std::string& path, std::string_view text) {
  if (ending_of(path) != ".xml") {
    return false;
  }
  pugi::xml_document document;
  return read_xml(text, document).has_value() ||
         std::string_view(document.document_element().name()) != "robot";
}

}  // namespace

bool is_robot_file(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".urdf" || ending == ".xacro" || ending == ".xml" || ending == ".sdf";
}

wbt::WorldFile read_world(const std::string& path, const wbt::ReadOptions& options,
                          const RobotFileOptions& robot, Diagnostics& diagnostics) {
  if (!is_robot_file(path)) {
    return wbt::read_world(path, options, diagnostics);
  }
  std::error_code ignored;
  const std::string full = fs::absolute(path, ignored).lexically_normal().string();
  const std::string folder = fs::path(full).parent_path().string();
  wbt::WorldFile world;
  world.path = full;
  world.project = wbt::project_of_world(folder);
  auto content = read_file(path);
  if (const auto* failure = std::get_if<FileError>(&content)) {
    diagnostics.error({diagnostics.sources().add(path, {}), 0},
                      failure->reason + did_you_mean_file(path));
    return world;
  }
  const std::uint32_t file =
      diagnostics.sources().add(path, std::move(std::get<std::string>(content)));
  RobotFiles files(folder);
  std::vector<Loss> losses;
  const auto read = ending_of(path) == ".sdf"                         ? read_sdf
                    : is_mjcf(path, diagnostics.sources().text(file)) ? read_mjcf
                                                                      : read_urdf;
  std::optional<RobotModel> model = read(file, files, diagnostics, losses);
  if (model) {
    RobotWorld made = world_of_robot(std::move(*model), folder, robot, losses);
    const std::uint32_t text =
        diagnostics.sources().add_made(std::move(made.text), file, std::move(made.spans));
    world = wbt::read_made_world(text, folder, options, diagnostics);
    world.path = full;
  }
  report(losses, diagnostics, world);
  return world;
}

}  // namespace servosim::robots
