// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "scene/scene.h"
#include "wbt/node.h"

namespace servosim {

/// What `device` measures; nothing if it is no sensor of that sort. The Solid is left to the
/// caller.
std::optional<SolidSensorSpec> read_solid_sensor(const wbt::Node& device, Diagnostics& diagnostics);

/// The rows of a lookup table that are finite, by rising value.
std::vector<LookupRow> read_lookup_table(const wbt::Node& device, Diagnostics& diagnostics);

/// The fields that make a device what it is, with those of the nodes inside that are no Solids.
std::vector<DeviceField> read_device_fields(const wbt::Node& device);

}  // namespace servosim
