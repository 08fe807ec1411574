// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/run_arguments.h"

namespace servosim {

/// Clients of YARP: robots as control boards. The options --yarp...
std::unique_ptr<LivePart> yarp_part();

}  // namespace servosim
