// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wbt/node.h"

// Changes of the text of a world file, which keep its comments, its layout and its line ends.

namespace servosim::wbt {

/// A changed text.
struct ChangedText {
  std::string text;
  std::size_t line = 0;  ///< that has changed or is new, counted from 1
};

/// Returns the text of a file in which a node has the line `#servosim FIELD "VALUE"`: the value of
/// the field is exchanged if the node has it, else a line follows the brace that opens the node.
/// @param text  of the file from which the node was read
/// @param node  a node whose Node::where and fields are in this text; no instance of a PROTO
/// @param field  a field of texts that only servosim has
/// @param value  without '"', '\' and control characters
ChangedText with_text_field(std::string_view text, const Node& node, std::string_view field,
                            std::string_view value);

}  // namespace servosim::wbt
