// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cli/config_file.h"
#include "servosim/yarp/board_config.h"

namespace servosim {

template <typename Config>
using ConfigKeys =
    std::map<std::string, std::function<void(const ConfigEntry&, Config&)>, std::less<>>;

/// Keys of a joint, and of a board, that put their value into a configuration.
const ConfigKeys<yarp::JointConfig>& joint_keys();
const ConfigKeys<yarp::BoardConfig>& board_keys();

}  // namespace servosim
