// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace servosim::wbt {

class Lexer;

/// Whether a PROTO of this name is one that nothing is meant to touch: it acts on no motion where
/// it is missing.
/// @param block  what follows the name: it is none where that gives it a part of a body
bool is_decoration(std::string_view type, const Lexer& block);

}  // namespace servosim::wbt
