// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Cells of comma-separated values, as RFC 4180 defines them.

namespace servosim {

/// Returns the cell for a text, in quotes if it has a comma, a quote or a line break.
std::string csv_cell(const std::string& text);
/// Removes the next cell from `record` and returns it; `more` tells whether others follow.
std::string take_cell(std::string_view& record, bool& more);
/// Returns all cells of a record.
std::vector<std::string> csv_cells(std::string_view record);

}  // namespace servosim
