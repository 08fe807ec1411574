// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Cells of comma-separated values as RFC 4180 has them.

namespace servosim {

/// A cell of that text: in quotes if it has a comma, a quote or a line break.
std::string csv_cell(const std::string& text);
/// The next cell of a record, which it is cut off from; `more` tells whether others follow.
std::string take_cell(std::string_view& record, bool& more);
/// All cells of a record.
std::vector<std::string> csv_cells(std::string_view record);

}  // namespace servosim
