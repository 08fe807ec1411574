// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "servosim/diagnostics.h"
#include "servosim/robot_file.h"
#include "wbt/world_file.h"

namespace servosim::robots {

/// Returns whether a file is a robot's own by its ending: .urdf, .sdf, .xml (MJCF or URDF), or
/// .xacro, which is refused if it has macros.
bool is_robot_file(const std::string& path);

/// Reads a world file, or makes a world of a robot's own file. All commands and classes that load
/// files call this. Messages about the made world name places in the robot's file; what it lacks is
/// reported, and what may change the motion is also in WorldFile::lost.
/// @see wbt::read_world
wbt::WorldFile read_world(const std::string& path, const wbt::ReadOptions& options,
                          const RobotFileOptions& robot, Diagnostics& diagnostics);

}  // namespace servosim::robots
