// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "servosim/simulation.h"
#include "wbt/tree.h"

// Fields of devices that a controller may set, too: the simulation has their values.

namespace servosim {

inline constexpr std::array<std::string_view, 6> kSettings{"acceleration", "controlPID", "channel",
                                                           "range",        "isLocked",   "isOn"};

bool is_setting(std::string_view name);
/// The present value; nothing if it is the tree's.
std::optional<wbt::Value> read_setting(Simulation& simulation, std::uint32_t node,
                                       std::string_view name);
/// @throws std::invalid_argument for a value that the device does not take
void write_setting(Simulation& simulation, std::uint32_t node, std::string_view name,
                   const wbt::Value& value);

}  // namespace servosim
