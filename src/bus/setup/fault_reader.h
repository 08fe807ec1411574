// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/toml_reading.h"
#include "bus/setup/bus_fault.h"

namespace servosim::bus {

/// Reads the table of a fault. `path`: of the file; empty: none. @throws TomlError
BusFault read_fault(const TomlReading& reading, const toml::table& table, const std::string& path);
/// Returns a whole number from 0 to `most`. @throws TomlError
int read_whole(const TomlReading& reading, const toml::node& node, int most);

}  // namespace servosim::bus
