// SPDX-License-Identifier: Apache-2.0
#include "robots/export/robot_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "robots/export/loss_kinds.h"
#include "robots/export/mjcf_writer.h"
#include "robots/export/scene_robots.h"
#include "robots/export/urdf_writer.h"
#include "robots/export/xml_numbers.h"
#include "robots/robot_files.h"

namespace servosim::robots {
namespace {

namespace fs = std::filesystem;

// Puts a comment behind the declaration of an XML text. It must not contain two hyphens.
void insert_comment(std::string comment, std::string& text) {
  for (std::size_t at = comment.find("--"); at != std::string::npos; at = comment.find("--")) {
    comment.replace(at, 2, "- ");
  }
  const std::size_t first = text.find("?>\n");
  text.insert(first == std::string::npos ? 0 : first + 3, fmt::format("<!--\n{}-->\n", comment));
}

std::size_t links_below(const RobotModel& model, std::size_t top) {
  std::vector<bool> is_below(model.links.size());
  std::size_t count = 0;
  for (std::size_t i = top; i < model.links.size(); ++i) {
    const int parent = model.links[i].parent;
    is_below[i] = i == top || (parent >= 0 && is_below[static_cast<std::size_t>(parent)]);
    count += is_below[i] ? 1 : 0;
  }
  return count;
}

}  // namespace

bool is_export(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".urdf" || ending == ".xml" || ending == ".sdf";
}

std::string fault_of_export(const std::string& path) {
  return ending_of(path) == ".sdf" ? "SDF is not written: name a file .urdf, or .xml for MJCF" : "";
}

ExportedRobot export_robot(const wbt::WorldFile& world, const std::string& path,
                           Diagnostics& diagnostics) {
  const bool is_urdf = ending_of(path) == ".urdf";
  const std::string folder = fs::path(path).parent_path().string();
  ExportedRobot result;
  LossKinds lost;
  std::vector<Loss> losses;
  const SceneRobots robots = robots_of_world(world, diagnostics, lost);
  if (diagnostics.errors() > 0) {
    result.fault = "it cannot be simulated";
    return result;
  }
  if (is_urdf) {
    if (robots.tops.empty()) {
      result.fault = "it has no Robot, which alone has a URDF";
      return result;
    }
    for (std::size_t i = 1; i < robots.tops.size(); ++i) {
      const RobotLink& link = robots.model.links[robots.tops[i]];
      lost.add("a URDF has one robot, so that others are left out", link.where, link.name);
    }
    result.text = urdf_of(robots.model, robots.tops[0], folder, lost, losses);
    result.links = links_below(robots.model, robots.tops[0]);
  } else {
    result.text = mjcf_of(robots.model, folder, lost);
    result.links = robots.model.links.size() - 1;
  }
  lost.append_to(losses);
  std::string comment;
  const auto add_line = [&](const std::string& line) { comment += xml_name(line) + '\n'; };
  add_line(fmt::format("Written by servosim from {}.", fs::path(world.path).filename().string()));
  for (const Loss& loss : losses) {
    const Diagnostic at = diagnostics.sources().resolve(loss.where);
    diagnostics.warning(loss.where, loss.what);
    result.moving += loss.moves ? 1 : 0;
    add_line(fmt::format("{}:{}: {}", fs::path(at.file).filename().string(), at.line, loss.what));
  }
  result.lost = losses.size();
  insert_comment(std::move(comment), result.text);
  return result;
}

}  // namespace servosim::robots
