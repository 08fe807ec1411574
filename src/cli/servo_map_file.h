// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mcu/servo_map.h"

namespace servosim {

/// Reads a mapping file: a section `[ID]` for each servo, as docs/srvp.md says.
/// @throws InputError that names the file, the servo and the key
std::vector<mcu::ServoEntry> read_servo_map(const std::string& path);

}  // namespace servosim
