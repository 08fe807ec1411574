// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/run_arguments.h"
#include "srvp/robot/servo_map.h"

namespace servosim {

/// `--srvp` and its options: robots as MCUs of an SRVP server.
std::unique_ptr<LivePart> srvp_part();

/// Reads a mapping file: a section `[ID]` for each servo, as docs/reference/srvp.md says.
/// @throws InputError that names the file, the servo and the key
std::vector<srvp::robot::ServoEntry> read_servo_map(const std::string& path);

}  // namespace servosim
