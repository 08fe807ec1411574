// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of others, such as the names in a world, fit for a terminal. All that this program and its
// libraries say passes here; what controllers print does not.

namespace servosim {

/// One line: control characters (C0, DEL, C1), marks that change the direction of writing, and
/// bytes that are no UTF-8 become \n, \t or \x1b. What is printable stays as it is.
std::string printable(std::string_view text);
/// The same for several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);
/// "Error: text" as lines on standard error; `kind` is "Error" or the like. With `function`:
/// "Error: function(): text".
void print_to_stderr(const char* kind, std::string_view text,
                     const char* function = nullptr) noexcept;

/// How many bytes the character at the front has; 0 if it is no well-formed UTF-8. `text` is not
/// empty.
std::size_t character_size(std::string_view text);

}  // namespace servosim
