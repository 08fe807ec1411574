// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace servosim::wbt {

class Lexer;

/// Returns whether nothing is meant to touch a PROTO of this name, so that its absence affects no
/// motion.
/// @param block  the text after the name: a PROTO to which it gives a part of a body is no
/// decoration
bool is_decoration(std::string_view type, const Lexer& block);

}  // namespace servosim::wbt
