// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "servosim/diagnostics.h"
#include "wbt/world_file.h"

namespace servosim::robots {

/// A robot's own file, made of a world.
struct ExportedRobot {
  std::string text;
  std::size_t links = 0;   ///< bodies of the world in MJCF; links of the robot in URDF
  std::size_t lost = 0;    ///< kinds of things that the format cannot say
  std::size_t moving = 0;  ///< those of them that may change the motion
  std::string fault;       ///< a clause, if there is no such file; then the rest is empty
};

/// Returns why no file with this ending is written, as a clause; empty for .urdf and .xml.
std::string fault_of_export(const std::string& path);

/// Returns whether a world is to become a robot's own file: by the ending of its path.
bool is_export(const std::string& path);

/// Writes the robots of a world, and what is around them, as MJCF (.xml), or the first robot as
/// URDF (.urdf). Each kind of things that the format cannot say is a warning, and a line of the
/// comment at the head of the text.
/// @param path  of the file that will have the text, absolute
/// @param diagnostics  those with which the world was read
ExportedRobot export_robot(const wbt::WorldFile& world, const std::string& path,
                           Diagnostics& diagnostics);

}  // namespace servosim::robots
