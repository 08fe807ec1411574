// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/world_view.h"

namespace servosim {

/// A world for programs, as docs/reference/info-json.md describes it. `view` is null for one that
/// cannot be simulated.
nlohmann::ordered_json info_json(const WorldView* view, const std::string& path,
                                 const std::vector<Diagnostic>& diagnostics);

}  // namespace servosim
