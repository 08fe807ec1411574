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

/// One that a supervisor writes.
struct Setting {
  std::uint32_t node;
  std::string_view field;  ///< of the field table
};

bool is_setting(std::string_view name);
/// The present value; nothing if it is the tree's.
std::optional<wbt::Value> read_setting(Simulation& simulation, std::uint32_t node,
                                       std::string_view name);
/// Gives a device the value that the tree has by now: where it had that before, only this counts.
void write_setting(Simulation& simulation, const wbt::Tree& tree, const Setting& setting);

}  // namespace servosim
