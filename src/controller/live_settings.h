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

/// What a supervisor gives one of them.
struct Setting {
  std::uint32_t node;
  std::string_view field;  ///< of the field table
  wbt::Value value;
};

bool is_setting(std::string_view name);
/// The present value; nothing if it is the tree's.
std::optional<wbt::Value> read_setting(Simulation& simulation, std::uint32_t node,
                                       std::string_view name);
/// To be done when the tree has changed: where it had that value before, only this counts. What a
/// device does not take is left.
void write_setting(Simulation& simulation, const Setting& setting);

}  // namespace servosim
