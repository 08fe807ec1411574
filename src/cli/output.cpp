// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace servosim {

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Console& console) {
  for (const Diagnostic& diagnostic : diagnostics) {
    console.log(diagnostic);
  }
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace servosim
