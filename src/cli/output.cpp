// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

namespace servosim {

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, Console& console) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (console.wants(diagnostic.severity == Severity::Error ? LogLevel::Error
                                                             : LogLevel::Warning)) {
      console.write(STDERR_FILENO, to_string(diagnostic) + '\n');
    }
  }
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace servosim
