// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "robots/export/loss_kinds.h"
#include "robots/robot_model.h"
#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim::robots {

/// A world in the terms of robots' own files.
struct SceneRobots {
  /// The first link is the world, which does not move. Each Solid is a link with its name, or with
  /// a number behind it where another link has that name; a sensor that is nothing else belongs to
  /// the link above. Links that nothing holds are free against the world.
  RobotModel model;
  std::vector<std::size_t>
      tops;  ///< the links of robots that are in no other robot, in their order
};

/// Describes the robots of a world, and what is around them, turned so that gravity points along
/// -z. What this cannot hold, whatever the format, is added to `lost`.
/// @param diagnostics  gets the messages about values that are replaced; its texts have those of
///   the world
SceneRobots robots_of_world(const wbt::WorldFile& world, Diagnostics& diagnostics, LossKinds& lost);

}  // namespace servosim::robots
