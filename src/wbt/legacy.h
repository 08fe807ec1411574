// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/lexer.h"
#include "wbt/node.h"

namespace servosim::wbt {

/// A value in a spelling the field had once: TRUE and FALSE for ImageTexture.filtering. Nothing,
/// and nothing read, if there is none.
std::optional<Value> read_legacy_value(const FieldType& field, Lexer& lexer);

/// Brings a node read from an old file up to date: Supervisor becomes a Robot with `supervisor`
/// set, and before R2020b controllerArgs was one string. `written_type` stands in the file.
void upgrade(Node& node, std::string_view written_type);

/// The words of a command line; quotes keep spaces and are dropped.
std::vector<std::string> split_arguments(std::string_view line);
/// The line whose only word is `word`.
std::string quoted_argument(std::string_view word);

}  // namespace servosim::wbt
