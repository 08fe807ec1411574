// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <nlohmann/json.hpp>

namespace servosim {

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Console& console) {
  for (const Diagnostic& diagnostic : diagnostics) {
    console.log(diagnostic);
  }
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace servosim
