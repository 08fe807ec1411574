// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "yarp/server/yarp_run.h"

namespace servosim {

/// The board that a file for the control board of gazebo-yarp-plugins describes.
struct GazeboBoard {
  yarp::server::YarpRunExtension::Board board;
  /// What the file asks for and does not get, as sentences.
  std::vector<std::string> warnings;
};

/// Returns whether a file is one for the control board of gazebo-yarp-plugins: it has jointNames or
/// yarpDeviceName before the first group, or a group WRAPPER with networks.
bool is_gazebo_board(const std::string& path);

/// Reads such a file. docs/reference/yarp.md lists its keys.
/// @param port  name of the board; empty means that of the file
/// @throws InputError that begins with the place, FILE:LINE
GazeboBoard read_gazebo_board(const std::string& path, const std::string& port,
                              Simulation& simulation);

}  // namespace servosim
