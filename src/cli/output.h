// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/console.h"
#include "servosim/diagnostics.h"

// What several subcommands print in the same way.

namespace servosim {

/// On standard error, as far as the console wants them.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Console& console);
/// `1 world`, `2 worlds`
std::string counted(std::size_t count, const char* noun);
/// A document as text: every digit, null for what is not finite, U+FFFD for bytes that are no
/// UTF-8.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace servosim
