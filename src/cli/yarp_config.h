// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "wire/yarp_front_end.h"

namespace servosim {

/// The control boards that a file for --yarp-config describes; docs/yarp.md has its keys.
/// @throws InputError naming the file, the section and the key
std::vector<wire::YarpFrontEnd::Board> read_yarp_config(const std::string& path,
                                                        Simulation& simulation);

}  // namespace servosim
