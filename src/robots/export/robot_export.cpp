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

// Returns the link at which a URDF begins: that of the robot, or, if something above the robot
// moves, the highest one below the world.
std::size_t beginning_of(const RobotModel& model, std::size_t robot) {
  std::size_t highest = robot;
  bool moves = false;
  while (model.links[highest].parent > 0) {
    moves = moves || !model.links[highest].joints.empty();
    highest = static_cast<std::size_t>(model.links[highest].parent);
  }
  moves = moves || (highest != robot && !model.links[highest].joints.empty());
  return moves ? highest : robot;
}

std::vector<bool> links_below(const RobotModel& model, std::size_t top) {
  std::vector<bool> is_below(model.links.size());
  for (std::size_t i = top; i < model.links.size(); ++i) {
    const int parent = model.links[i].parent;
    is_below[i] = i == top || (parent >= 0 && is_below[static_cast<std::size_t>(parent)]);
  }
  return is_below;
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
    const std::size_t top = beginning_of(robots.model, robots.tops[0]);
    const std::vector<bool> has = links_below(robots.model, top);
    for (const std::size_t other : robots.tops) {
      if (!has[other]) {
        const RobotLink& link = robots.model.links[other];
        lost.add("a URDF has one robot, so that others are left out", link.where, link.name);
      }
    }
    result.text = urdf_of(robots.model, top, folder, lost, losses);
    result.links = static_cast<std::size_t>(std::ranges::count(has, true));
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
