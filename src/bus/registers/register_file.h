// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/registers/register_table.h"

namespace servosim::bus {

/// Returns the role with a text, such as "Goal Position".
std::optional<RegisterRole> find_role(std::string_view text);
/// Returns the names of the models of a file. @throws TomlError
std::vector<std::string> models_of_file(std::string_view text, const std::string& path);

}  // namespace servosim::bus
