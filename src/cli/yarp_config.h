// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "servosim/simulation.h"
#include "servosim/yarp/board_config.h"
#include "yarp/server/yarp_run.h"

namespace servosim {

template <typename Config>
using ConfigKeys =
    std::map<std::string, std::function<void(const ConfigEntry&, Config&)>, std::less<>>;

/// Keys of a joint, and of a board, that put their value into a configuration.
const ConfigKeys<yarp::JointConfig>& joint_keys();
const ConfigKeys<yarp::BoardConfig>& board_keys();

/// The control boards that a file for --yarp-config describes; docs/reference/yarp.md has its keys.
/// @throws InputError naming the file, the section and the key
std::vector<yarp::server::YarpRunExtension::Board> read_yarp_config(const std::string& path,
                                                                    Simulation& simulation);

}  // namespace servosim
