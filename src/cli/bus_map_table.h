// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bus/run/bus_map.h"

namespace servosim {

struct Scene;

/// Returns the buses that the servosim.toml of a world's project describes.
/// @throws TomlError, ProjectFileError for a fault in the file
std::vector<bus::BusSetup> bus_setups_of_world(const std::string& world);
/// Returns the servos of a bus as a table.
std::string bus_map_text(const bus::BusSetup& setup, const bus::BusMap& map, const Scene& scene);
/// Returns them for programs, as docs/reference/info-json.md describes it.
nlohmann::ordered_json bus_map_json(const bus::BusSetup& setup, const bus::BusMap& map);
/// Returns a version of a firmware for programs: a number, or of Feetech a text such as "3.10".
nlohmann::ordered_json firmware_json(int firmware, const bus::Protocol& protocol);

}  // namespace servosim
