// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/toml_reading.h"
#include "servosim/servo_model.h"

namespace servosim {

/// Sets the fields of a model that a table of TOML has, such as those of `[drive]`.
/// @param name  the part of their keys before the dot
/// @throws TomlError
void read_fields(const TomlReading& reading, const toml::table& table, std::string_view name,
                 ServoModel& model);

}  // namespace servosim
