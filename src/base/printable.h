// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Foreign text, such as the names in a world, made safe for a terminal. All messages of the program
// and its libraries pass here; the output of controllers does not.

namespace servosim {

/// One line: control characters (C0, DEL, C1), marks that change the direction of writing, and
/// bytes that are no UTF-8 are escaped as \n, \t or \x1b. Printable characters stay.
std::string printable(std::string_view text);
/// The same for several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);
/// "Error: text" as lines on standard error; `kind` is "Error" or the like. With `function`:
/// "Error: function(): text".
void print_to_stderr(const char* kind, std::string_view text,
                     const char* function = nullptr) noexcept;

/// The number of bytes of the first character; 0 if it is no well-formed UTF-8. `text` is not
/// empty.
std::size_t character_size(std::string_view text);

}  // namespace servosim
