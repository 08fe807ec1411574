// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Makes foreign text, such as the names in a world, safe for a terminal. All messages of the
// program and its libraries pass through these functions; the output of controllers does not.

namespace servosim {

/// Returns one line in which control characters (C0, DEL, C1), marks that change the direction of
/// writing, U+FFFE, U+FFFF, and bytes that are not UTF-8 are escaped as \n, \t or \x1b. Printable
/// characters stay.
std::string printable(std::string_view text);
/// Does the same for several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);
/// Prints "Error: text" as lines on standard error; `kind` is "Error" or the like. With `function`
/// it prints "Error: function(): text", or "Error: function() text" where the text goes on with the
/// sentence: "called for a disabled device". Source: Webots' texts.
void print_to_stderr(const char* kind, std::string_view text,
                     const char* function = nullptr) noexcept;

/// Returns the number of bytes of the first character; 0 if it is not well-formed UTF-8. `text`
/// must not be empty.
std::size_t character_size(std::string_view text);

}  // namespace servosim
